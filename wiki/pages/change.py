from dataclasses import dataclass

from wiki.models import RevisionKind
from wiki.pages.author import Author


@dataclass(frozen=True)
class Change:
    """The part of a revision that is not the page's: author, kind and summary."""

    author: Author
    kind: RevisionKind = RevisionKind.EDIT
    summary: str = ""
