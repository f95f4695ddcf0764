"""The fence around a protected page: people write on it, agents only by a person's leave."""

from wiki.models import AuthorKind, Page, RevisionKind
from wiki.pages.author import Author


class PageProtected(Exception):
    """An agent may not change `page`, which is as it was; what it wanted can be suggested
    (wiki/suggestions/propose.py)."""

    def __init__(self, page: Page) -> None:
        super().__init__(f"“{page.title}” is protected: agents suggest, people decide.")
        self.page = page


def keep_out(page: Page, author: Author, kind: RevisionKind) -> None:
    """Asked with the page's row locked before anything is written. Raises PageProtected.

    Links that follow a rename are rewritten here as everywhere: somebody has decided about that
    already.
    """
    if not page.is_protected or author.leave or kind == RevisionKind.LINKS:
        return
    is_own_idea = author.kind == AuthorKind.MAINTENANCE and kind == RevisionKind.MERGE
    if author.kind == AuthorKind.AGENT or is_own_idea:
        raise PageProtected(page)
