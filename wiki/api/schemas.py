"""What requests may contain. Answers are plain dictionaries: validating a long index costs 20 ms instead of 1.4."""

from typing import Annotated

from ninja import Field, Schema
from pydantic import ConfigDict, StringConstraints

from wiki.recall import LIMIT, MAX_LIMIT, IndexExtent, Mode

Similarity = Annotated[float, Field(ge=-1, le=1)]
Name = Annotated[str, StringConstraints(max_length=500)]


class Request(Schema):
    """Strict: a number is no text, and null means "not given" only where that is allowed."""

    model_config = ConfigDict(strict=True)


class RecallOptions(Schema):
    limit: int = Field(LIMIT, ge=1, le=MAX_LIMIT)
    mode: Mode = Mode.VECTOR
    min_similarity: Similarity | None = None
    body: Annotated[str, StringConstraints(pattern="^(full|none)$")] = "full"
    index: IndexExtent = IndexExtent.RECENT


class RecallQuery(RecallOptions):
    q: str


class RecallRequest(RecallOptions):
    query: str


class InsightRequest(Request):
    text: str
    title: str | None = None
    page: Name | None = None
    type: Name | None = None
    tags: list[str] | None = None
    source: str | None = None
    task: str | None = None


class PageRequest(Request):
    title: str
    body: str
    type: Name | None = None
    tags: list[str] | None = None
    summary: str | None = None
    base_revision: int | None = None


class AppendRequest(Request):
    text: str
    summary: str | None = None


class PageListQuery(Schema):
    type: Name = ""
    tag: Name = ""
    q: Name = ""
    # It carries the last title, escaped and encoded.
    cursor: Annotated[str, StringConstraints(max_length=4000)] = ""
