"""The page that takes another one's place, when that is trashed or replaced."""

from django.utils.translation import gettext

from wiki.models import Page
from wiki.names.resolve import resolve_page
from wiki.pages.fields import InvalidPage
from wiki.text.cleaning import MAX_TITLE, clean_line


def find_successor(page: Page, text: str) -> Page:
    """The page that a title or an address names. Raises InvalidPage (`successor`)."""
    text = clean_line(text)
    resolved = resolve_page(page.wiki, text) if text and len(text) <= MAX_TITLE else None
    if resolved is None:
        raise InvalidPage(
            {"successor": gettext("There is no page “{name}”.").format(name=text[:MAX_TITLE])}
        )
    if resolved.is_ambiguous:
        several = gettext("Several pages are called “{name}”. Give the address of one.")
        raise InvalidPage({"successor": several.format(name=text)})
    check_successor(page, resolved.page)
    return resolved.page


def check_successor(page: Page, successor: Page) -> None:
    """Raises InvalidPage (`successor`) for a page that cannot take the other's place."""
    if successor.pk == page.pk:
        raise InvalidPage({"successor": gettext("A page cannot take its own place.")})
    # What was found a moment ago may be gone by now.
    if not Page.objects.live().filter(pk=successor.pk, wiki=page.wiki_id).exists():
        refusal = gettext(
            "The page “{name}” cannot take its place: it is not in this wiki any more."
        )
        raise InvalidPage({"successor": refusal.format(name=successor.title)})
