"""Marks in a Markdown file's head: `standing: outdated`, or `replaced_by:` with the slug of the
page that holds."""

from wiki.files.front_matter import STANDINGS, Head
from wiki.models import Page, RevisionKind, Standing, Wiki
from wiki.pages.author import Author
from wiki.pages.status import clear_status, mark_outdated, mark_replaced
from wiki.text.cleaning import clean_line
from wiki.text.slugs import slugify

_STANDINGS = dict(
    zip(STANDINGS, (Standing.HOLDS, Standing.OUTDATED, Standing.REPLACED), strict=True)
)


def standing_of(head: Head) -> Standing | None:
    """None where the head is silent."""
    if head.standing is None:
        return Standing.REPLACED if head.replaced_by else None
    return _STANDINGS[head.standing]


def awaits_successor(wiki: Wiki, head: Head) -> bool:
    """Whether the page that replaces this one may come with a later file."""
    return (
        standing_of(head) == Standing.REPLACED
        and bool(head.replaced_by)
        and _successor(wiki.pk, head) is None
    )


def apply_status(page: Page, head: Head, author: Author) -> bool:
    """Give the page the status of its file, unless somebody has changed it since the last import;
    return whether it changed. Raises InvalidPage for an impossible successor, and PageGone."""
    standing = standing_of(head)
    if standing is None or _has_mark_of_others(page, author):
        return False
    before = page.revision
    match standing:
        case Standing.REPLACED:
            successor = _successor(page.wiki_id, head)
            # A file that names no page, or one that is not here, does not know better than a page
            # that is replaced.
            if successor or page.standing != Standing.REPLACED:
                page = mark_replaced(page, successor, author=author)
        case Standing.OUTDATED:
            page = mark_outdated(page, author=author)
        case Standing.HOLDS:
            page = clear_status(page, author=author)
    return page.revision != before


def _successor(wiki_id: int, head: Head) -> Page | None:
    slug = slugify(clean_line(head.replaced_by)) if head.replaced_by else ""
    return Page.objects.live().filter(wiki=wiki_id, slug=slug).first() if slug else None


def _has_mark_of_others(page: Page, author: Author) -> bool:
    last = page.revisions.filter(kind=RevisionKind.IMPORT).values_list("number", flat=True).first()
    if last is None:
        return False
    marks = page.revisions.setting_status().filter(number__gt=last)
    return marks.exclude(author_kind=author.kind, author_name=author.name).exists()
