"""The prompts of model families, which no server but Voyage adds by itself.

The input recipe covers every rule that changes the vector of a stored text: `document_text`, the
document prompts below, and the cut to 256 values. A change of one raises RECIPE, which makes all
pages stale, or the family's `changes`. Query prompts do not belong to it.
"""

from dataclasses import dataclass

from embeddings.text import MAX_CHARACTERS, Document, document_text, query_text, replace_unusable

RECIPE = 1


@dataclass(frozen=True)
class Family:
    """Models whose name contains one of `names`.

    `is_matryoshka`: trained to be cut to the first values (None: unknown). `changes`: how often the
    document prompt was changed, which makes the pages of this family alone stale.
    """

    names: tuple[str, ...] = ()
    document: str = ""
    query: str = ""
    has_title_slot: bool = False
    is_matryoshka: bool | None = None
    is_english_only: bool = False
    changes: int = 0


_SENTENCE = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

# The first match counts, so newer generations stand before the name they share with older ones.
FAMILIES = (
    Family(
        ("embeddinggemma",),
        document="title: {title} | text: ",
        query="task: search result | query: ",
        has_title_slot=True,
        is_matryoshka=True,
    ),
    Family(
        ("nomic-embed-text-v2", "nomic-embed-text:v2"),
        "search_document: ",
        "search_query: ",
        is_matryoshka=True,
    ),
    # v1.5 should be layer-normalised before the cut, which covey does not do.
    Family(
        ("nomic-embed-text",),
        "search_document: ",
        "search_query: ",
        is_matryoshka=False,
        is_english_only=True,
    ),
    Family(("qwen3-embedding",), query=_INSTRUCTION, is_matryoshka=True),
    Family(("mxbai-embed",), query=_SENTENCE, is_matryoshka=True, is_english_only=True),
    Family(("arctic-embed2", "arctic-embed-l-v2", "arctic-embed-m-v2"), "", "query: ", False, True),
    Family(("arctic-embed",), query=_SENTENCE, is_matryoshka=False, is_english_only=True),
    Family(
        ("all-minilm", "bge-small-en", "bge-base-en", "bge-large-en"),
        is_matryoshka=False,
        is_english_only=True,
    ),
    # The prompts came after the first recipe; before it vectors were made without.
    Family(("multilingual-e5",), "passage: ", "query: ", is_matryoshka=False, changes=1),
    Family(("bge-m3", "use-multilingual", "ada-002"), is_matryoshka=False),
    Family(("text-embedding-3", "voyage"), is_matryoshka=True),
)


def find_family(model: str) -> Family:
    """Match a part of the name, such as `hf.co/google/EmbeddingGemma-300m:Q8_0`."""
    name = model.lower()
    return next(
        (family for family in FAMILIES if any(part in name for part in family.names)), Family()
    )


def recipe_of(model: str) -> int:
    return RECIPE + find_family(model).changes


@dataclass(frozen=True)
class Input:
    """The prompt and the text of one request; only the text may be shortened."""

    prompt: str
    text: str

    @property
    def wire(self) -> str:
        return self.prompt + self.text

    def halve(self) -> "Input":
        return Input(self.prompt, self.text[: len(self.text) // 2])


def document_input(model: str, document: Document) -> Input:
    family = find_family(model)
    text = document_text(document)
    if not family.has_title_slot:
        return Input(family.document, text)
    title = replace_unusable(document.title)[:MAX_CHARACTERS]
    body = text[len(title) + 1 :] if document.title else text
    return Input(family.document.format(title=title.strip() or "none"), body)


def query_input(model: str, query: str) -> Input:
    return Input(find_family(model).query, query_text(query))
