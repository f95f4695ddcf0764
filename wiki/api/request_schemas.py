"""Schemas of requests. Answers are plain dictionaries: validating a long index costs 20 ms instead
of 1.4."""

from typing import Annotated, Literal

from ninja import Field, Path, Schema
from pydantic import ConfigDict, Strict, StringConstraints, WithJsonSchema

from wiki.models import PageType
from wiki.pages.fields import MAX_TAGS
from wiki.recall.prompt import BUDGET, MAX_BUDGET, MIN_BUDGET
from wiki.search.retrieval import LIMIT, MAX_LIMIT, IndexExtent, Mode, default_mode
from wiki.text.cleaning import MAX_TITLE
from wiki.text.excerpts import EXCERPT

Similarity = Annotated[float, Field(ge=-1, le=1)]
Name = Annotated[str, StringConstraints(max_length=500)]
# In place, since the framework drops description and default of a parameter whose schema stands
# elsewhere. And not strict, since no JSON holds a Mode.
ModeName = Annotated[
    Mode, Strict(False), WithJsonSchema({"type": "string", "enum": [mode.value for mode in Mode]})
]
ExtentName = Annotated[
    IndexExtent,
    Strict(False),
    WithJsonSchema({"type": "string", "enum": [some.value for some in IndexExtent]}),
]

ReadSlug = Annotated[
    str,
    Path(
        description="The page's slug, a former slug (redirect), its title, or a similar spelling "
        "of these."
    ),
]
WrittenSlug = Annotated[
    str,
    Path(
        description="The page's slug, text that makes this slug, or a former slug; no similar "
        "spelling."
    ),
]

TYPES = (
    f"One of {', '.join(PageType.values)}, or empty. German words and common synonyms are "
    f"understood."
)
TITLE = f"At most {MAX_TITLE} characters."
TAGS = f"At most {MAX_TAGS}; folded to lower case."
SUMMARY = "What this edit does, for the history."
QUERY = (
    "What you are looking for, in your own words. Cut to 8,000 characters, never refused for "
    "its length."
)


class Request(Schema):
    """Strict: a number is no text, and null means "not given" only where that is allowed."""

    model_config = ConfigDict(strict=True)


class RecallOptions(Schema):
    limit: int = Field(LIMIT, ge=1, le=MAX_LIMIT, description="How many pages at most.")
    mode: ModeName = Field(
        default_factory=default_mode,
        json_schema_extra={"default": Mode.HYBRID.value},
        description="hybrid: by meaning and by words, fused; vector: by meaning alone; keyword: by "
        "words alone. Without it hybrid, unless the operator says otherwise (COVEY_RECALL_MODE).",
    )
    min_similarity: Similarity | None = Field(
        None,
        description="Leave out pages below this cosine; without it the nearest come, however far "
        "they are.",
    )
    body: Literal["full", "none"] = Field(
        "full",
        description="full: each page's text, cut to 4,000 characters around the match; none: "
        "excerpts only.",
    )
    budget: int = Field(
        BUDGET,
        ge=MIN_BUDGET,
        le=MAX_BUDGET,
        description="With Accept: text/markdown: how many tokens the block takes at most, "
        "estimated on the safe side "
        "(a third of a token for an ASCII letter, more for any other character). It also decides "
        "how much of a "
        "page's text is shown.",
    )
    index: ExtentName = Field(
        IndexExtent.RECENT,
        description="The list of the wiki's pages in the answer: the 500 last changed, all, or "
        "none.",
    )

    max_chars: int | None = Field(
        None,
        ge=0,
        description="How many characters all excerpts and bodies may have together, the best pages "
        "first; the bodies "
        f"are cut around the match. Each page keeps its excerpt of at most {EXCERPT} characters, "
        f"whatever this says.",
    )
    task: str = Field(
        "", description="For which task you ask, such as a ticket; kept with the recall for people."
    )


class RecallQuery(RecallOptions):
    q: str = Field(description=f"{QUERY} POST calls it `query`.")


class RecallRequest(RecallOptions, Request):
    query: str = Field(description=f"{QUERY} GET calls it `q`.")


class MarkRequest(Request):
    page: Name = Field(
        description="The page's slug. Useful may be one that was not handed out, but should have "
        "been."
    )
    useful: bool = Field(
        description="Whether the page helped. A later mark of the same page replaces this one."
    )
    query: str = Field(
        "",
        description="With a useful page: the question in words to keep with the page, so that it "
        "is found by them. "
        "Left out, it is the recall's own text, where that is kept.",
    )


class InsightRequest(Request):
    text: str = Field(
        description="What was learned, as Markdown. Keys and passwords in it are replaced by what "
        "they were: "
        "[secret removed: GitHub token]."
    )
    title: str | None = Field(None, description=f"Of the page, if it becomes a new one. {TITLE}")
    page: Name | None = Field(
        None, description="The page it belongs to, if you know; then no similarity is asked."
    )
    type: Name | None = Field(None, description=TYPES, examples=PageType.values)
    tags: list[str] | None = Field(None, description=TAGS)
    source: str | None = Field(
        None, description="Where it comes from, such as a ticket or an address."
    )
    task: str | None = Field(None, description="The task at which it was learned.")


class PageRequest(Request):
    title: str = Field(description=f"{TITLE} A change of title does not move the page.")
    body: str = Field(description="Markdown with [[wikilinks]]: at most 256 KiB and 1,000 links.")
    type: Name | None = Field(
        None, description=f"{TYPES} Left out, it stays.", examples=PageType.values
    )
    tags: list[str] | None = Field(None, description=f"{TAGS} Left out, they stay.")
    aliases: list[str] | None = Field(
        None, description="Other names that lead to the page, at most 50. Left out, they stay."
    )
    summary: str | None = Field(None, description=SUMMARY)
    base_revision: int | None = Field(
        None, description="The `revision` that your text is based on; needed if the page exists."
    )


class AppendRequest(Request):
    text: str = Field(
        description="A paragraph of Markdown; one that stands there already changes nothing."
    )
    summary: str | None = Field(None, description=SUMMARY)


class StandingRequest(Request):
    standing: Literal["outdated", "replaced"] = Field(
        description="outdated: it holds no longer; replaced: another page says what holds now. "
        "People take marks away."
    )
    replaced_by: Name | None = Field(
        None, description="The page that holds now, if it is replaced."
    )


class PageListQuery(Schema):
    type: Name = Field(
        "", description=f"Only pages of this type. {TYPES}", examples=PageType.values
    )
    tag: Name = Field("", description="Only pages with this tag.")
    q: Name = Field(
        "", description="Only pages whose title has this text; GET /recall searches the texts."
    )
    # It carries the last title, escaped and encoded.
    cursor: Annotated[str, StringConstraints(max_length=4000)] = Field(
        "", description="The `next` of the answer before; the first 100 without it."
    )
