"""Did you mean: the page that is spelled like a name that no page has."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from embeddings.hash_embedder import has_words
from wiki.models import Page, PageQuerySet, Wiki
from wiki.names.resolve import resolve_page
from wiki.search.spelling import CLOSE
from wiki.text.cleaning import clean_line, clean_text
from wiki.text.slugs import fold_slug, slugify

# Beside a name in the order of addresses stand those that share its beginning; the index gives
# them, however many pages there are.
_BESIDE = 100
_SHOWN = 100
_NUMBER = re.compile(r"\d+")


def say_no_page(wiki: Wiki, name: str) -> str:
    """A sentence for readers of this wiki, with the nearest page."""
    sentence = f"There is no page “{clean_line(name)[:_SHOWN]}” in this wiki."
    near = find_near(wiki, name)
    return (
        f"{sentence} Did you mean “{near.title}”? Its address is “{near.slug}”."
        if near
        else sentence
    )


def say_choice(name: str, pages: Iterable[Page]) -> str:
    """A sentence that names the pages of one name by their addresses."""
    named = ", ".join(f"“{page.title}” ({page.slug})" for page in pages)
    return (
        f"Several pages are called “{clean_line(name)[:_SHOWN]}”: {named}. Say the address of one."
    )


def find_near(wiki: Wiki, name: str) -> Page | None:
    """The live page that is spelled alike: only accents differ, or a few letters at the place where
    they look alike."""
    if resolved := resolve_page(wiki, name):
        return resolved.page
    if not has_words(name):
        return None
    asked = slugify(clean_text(name))
    live = Page.objects.live().filter(wiki=wiki)
    slug = _closest(asked, _slugs_beside(live, asked))
    return live.only("slug", "title").filter(slug=slug).first() if slug else None


def _closest(asked: str, slugs: list[str]) -> str:
    """Of these the most similar one, however its accents are written; empty if none is near."""
    numbers = _NUMBER.findall(asked)
    # Another number is another thing, and no slip of the pen.
    likely = [slug for slug in slugs if not numbers or _NUMBER.findall(slug) == numbers]
    by_form = {form: slug for slug in likely for form in fold_slug(slug)}
    close = (get_close_matches(form, by_form, n=1, cutoff=CLOSE) for form in fold_slug(asked))
    return next((by_form[form] for forms in close for form in forms), "")


def _slugs_beside(live: PageQuerySet, slug: str) -> list[str]:
    before = live.filter(slug__lt=slug).order_by("-slug").values_list("slug", flat=True)[:_BESIDE]
    after = live.filter(slug__gt=slug).order_by("slug").values_list("slug", flat=True)[:_BESIDE]
    return [*before, *after]
