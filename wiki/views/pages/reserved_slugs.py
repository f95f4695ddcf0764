"""Words that became an address of their own after pages could have it."""

from django.http import HttpRequest

from wiki.models import Page, Role, Wiki
from wiki.views.permissions import may


def find_older(wiki: Wiki, word: str) -> Page | None:
    """The live page that has this address from before."""
    return Page.objects.live().filter(wiki=wiki, slug=word).only("slug", "title").first()


def means_older(request: HttpRequest, older: Page | None, needed: Role) -> bool:
    """Whether that page is shown: to all who may not open the screen, and to others who ask for
    it."""
    return (
        older is not None
        and request.method != "POST"
        and ("older" in request.GET or not may(request, needed))
    )
