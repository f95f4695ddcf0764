from dataclasses import dataclass
from enum import StrEnum

from wiki.models import Page


class Mode(StrEnum):
    VECTOR = "vector"
    KEYWORD = "keyword"
    HYBRID = "hybrid"


@dataclass
class Hit:
    """A recalled page. `similarity` is the cosine, None where only words matched; `found_by` says
    how it was found."""

    page: Page
    similarity: float | None
    found_by: list[str]
    # Of the words alone, comparable within one recall.
    rank: float = 0.0
    # The question kept with the page that fitted better than its text; empty where the text did.
    asked_as: str = ""
    # Of the search for people; a recall quotes by `wiki.search.snippets`.
    excerpt: str = ""
    # The cosine without what is common to all questions; None where none is taken out.
    centred: float | None = None
