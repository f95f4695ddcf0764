"""Templates of new pages by type: covey's own, or a page of the wiki."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.translation import override

from wiki.models import Page, PageType, Wiki
from wiki.text.slugs import title_key

FOLDER = Path(__file__).parent / "new_page_texts"
# A page called so, with the name of a type behind the colon, takes the place of covey's own for
# that type.
PREFIXES = {"en": "Template", "de": "Vorlage"}


@dataclass(frozen=True)
class PageTemplate:
    """`page` is None for covey's own; `title` is the page's, or that of the page which would take
    its place."""

    type: str
    body: str
    title: str
    page: Page | None = None


def find_template(wiki: Wiki, type: str, language: str) -> PageTemplate | None:
    """Return None for an unknown type. The reader's language comes first, for pages of the wiki as
    for covey's texts."""
    if type not in PageType.values:
        return None
    languages = sorted(PREFIXES, key=lambda code: code != language)
    titles = [template_title(type, code) for code in languages]
    keys = [title_key(title) for title in titles]
    pages = {
        page.title_key: page
        for page in Page.objects.live().filter(wiki=wiki, title_key__in=keys).order_by("-id")
    }
    if own := next((pages[key] for key in keys if key in pages), None):
        return PageTemplate(type, own.body, own.title, own)
    return PageTemplate(
        type, (FOLDER / f"{type}.{languages[0]}.md").read_text(encoding="utf-8"), titles[0]
    )


@cache
def template_keys() -> frozenset[str]:
    """The title keys of the pages that are templates, of whatever type and language."""
    titles = (template_title(type, code) for type in PageType.values for code in PREFIXES)
    return frozenset(map(title_key, titles))


def template_title(type: str, language: str) -> str:
    with override(language):
        return f"{PREFIXES[language]}: {PageType.label_of(type)}"
