"""What a model family wants to read around a text; no server adds it (Voyage does, told by
input_type).

The input recipe is part of a model's identity: every rule that changes the vector of a stored text.
That is `embeddings.text.document_text`, the document forms below, and the cut to 256 values.
Whoever changes one of them raises RECIPE, and the stock counts as stale. The query forms do not
belong to it: they change no stored vector.
"""

from dataclasses import dataclass

from embeddings.text import MAX_CHARACTERS, Document, document_text, query_text, replace_unusable

RECIPE = 1


@dataclass(frozen=True)
class Family:
    """What is known of the models whose name contains one of `names`.

    `is_matryoshka`: trained so that the first 256 values stand for the whole; None where nobody
    knows.
    """

    names: tuple[str, ...] = ()
    document: str = ""
    query: str = ""
    has_title_slot: bool = False
    is_matryoshka: bool | None = None
    is_english_only: bool = False


_SENTENCE = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

# The first family whose name fits counts: newer generations stand before the name they share with
# older ones.
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
    # v1.5 was meant to be layer-normalised before the cut; covey cuts plainly, so the cut costs it
    # more.
    Family(
        ("nomic-embed-text",),
        "search_document: ",
        "search_query: ",
        is_matryoshka=False,
        is_english_only=True,
    ),
    Family(("qwen3-embedding",), query=_INSTRUCTION, is_matryoshka=True),
    Family(("mxbai-embed",), query=_SENTENCE, is_matryoshka=True, is_english_only=True),
    Family(
        ("arctic-embed2", "arctic-embed-l-v2", "arctic-embed-m-v2"),
        query="query: ",
        is_matryoshka=True,
    ),
    Family(("arctic-embed",), query=_SENTENCE, is_matryoshka=False, is_english_only=True),
    Family(
        ("all-minilm", "bge-small-en", "bge-base-en", "bge-large-en"),
        is_matryoshka=False,
        is_english_only=True,
    ),
    Family(("bge-m3", "multilingual-e5", "use-multilingual", "ada-002"), is_matryoshka=False),
    Family(("text-embedding-3", "voyage"), is_matryoshka=True),
)


def find_family(model: str) -> Family:
    """By a part of the name, so that `hf.co/google/EmbeddingGemma-300m:Q8_0` is known too."""
    name = model.lower()
    return next(
        (family for family in FAMILIES if any(part in name for part in family.names)), Family()
    )


@dataclass(frozen=True)
class Input:
    """One text as it goes over the wire: the family's words, then the text, which alone may be
    shortened."""

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
