"""Protected pages: people write on them, agents only where a person accepts it."""

from wiki.models import AuthorKind, Page, RevisionKind
from wiki.pages.change import Change


class PageProtected(Exception):
    """An agent may not change `page`; nothing was written. It can suggest the change
    (wiki/suggestions/propose.py)."""

    def __init__(self, page: Page) -> None:
        super().__init__(f"“{page.title}” is protected: agents suggest, people decide.")
        self.page = page


def check_protection(page: Page, change: Change) -> None:
    """Call with the page's row locked, before anything is written. Raises PageProtected."""
    # Links follow a rename that was decided already.
    if not page.is_protected or change.kind == RevisionKind.LINKS:
        return
    is_own_merge = (change.author.kind, change.kind) == (AuthorKind.MAINTENANCE, RevisionKind.MERGE)
    if change.author.kind == AuthorKind.AGENT or is_own_merge:
        raise PageProtected(page)
