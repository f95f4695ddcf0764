"""Former addresses and names. A row holds a page, not an address, so every redirect is one hop and
none can go round in a circle.

A live page comes before a redirect of its address: the row stays, shadowed, and works again when
the page has moved.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction

from wiki.db.locks import lock_wiki
from wiki.models import Link, Page, Redirect, Revision, Wiki
from wiki.pages.links import resolve_links_again
from wiki.text.cleaning import clean_text
from wiki.text.slugs import fold_slug, numbered_slug, slugify, title_key


def find_redirect(wiki: Wiki, slug: str) -> Redirect | None:
    """Return the redirect of this address if its page is live."""
    rows = Redirect.objects.live().filter(
        wiki=wiki, slug__in=[clean_text(slug), slugify(clean_text(slug))]
    )
    return rows.select_related("page").defer("page__embedding").first()


def find_earlier_owner(page: Page) -> Page | None:
    """The live page that had this page's address or name before and was renamed."""
    rows = Redirect.objects.live().filter(
        wiki=page.wiki_id, slug__in={page.slug, slugify(page.title)}
    )
    row = rows.exclude(page=page).select_related("page").only("page__slug", "page__title").first()
    return row.page if row else None


def former_title(redirect: Redirect) -> str:
    """Return the title of the page that had the address, or the address if it is unknown."""
    if redirect.title:
        return redirect.title
    had_it = Revision.objects.filter(
        page__wiki=redirect.wiki_id, slug=redirect.slug, created_at__lte=redirect.created_at
    )
    title = had_it.order_by("-created_at").values_list("title", flat=True).first()
    titles = (
        Revision.objects.filter(page=redirect.page_id)
        .order_by("-number")
        .values_list("title", flat=True)
    )
    return title or next((old for old in titles if slugify(old) == redirect.slug), redirect.slug)


def count_pages_by(redirect: Redirect) -> int:
    """How many pages have links that only this redirect leads to its page."""
    alike = Link.objects.filter(
        target_folds__overlap=fold_slug(redirect.slug), resolved_page=redirect.page_id
    )
    by_it = alike.exclude(target_key__in=[redirect.page.slug, slugify(redirect.page.title)])
    return Page.objects.live().filter(pk__in=by_it.values("from_page")).count()


def remove_redirect(redirect: Redirect) -> None:
    """Links by this address turn red, unless a page has it."""
    with transaction.atomic():
        lock_wiki(redirect.wiki_id)
        redirect.delete()
        resolve_links_again(redirect.wiki_id, fold_slug(redirect.slug))


def free_slug(wiki_id: int, base: str, *, own: Page | None = None, is_named: bool = True) -> str:
    """Return the slug, numbered if another live page has it. A named page takes over a former
    address, since its title would be found before the redirect anyway; a numbered or unnamed one
    does not."""
    number = 1
    while True:
        slug = numbered_slug(base, number)
        if not _is_taken(wiki_id, slug, own, is_former_taken=number > 1 or not is_named):
            return slug
        number += 1


def _is_taken(wiki_id: int, slug: str, own: Page | None, *, is_former_taken: bool) -> bool:
    own_id = own.pk if own else 0
    if Page.objects.live().filter(wiki=wiki_id, slug=slug).exclude(pk=own_id).exists():
        return True
    return (
        is_former_taken
        and Redirect.objects.filter(wiki=wiki_id, slug=slug).exclude(page=own_id).exists()
    )


# The functions below run under the wiki's lock. What one change did carries the time of its
# revision, which is how it is found again when that change is undone.


def names_of(page: Page) -> dict[str, str]:
    """The address and the names of a page, as they were written, by the slug of each."""
    named = {slugify(name): name for name in reversed([page.title, *page.aliases])}
    return {page.slug: "", **named}


def leave_names(page: Page, slug: str, former: Mapping[str, str], since: datetime) -> None:
    """Make the address and the names that a page had lead on to it; names unless another page has
    them."""
    present = names_of(page)
    keys = {*map(title_key, present.values())}
    own = Redirect.objects.filter(wiki=page.wiki_id, page=page, slug__in=present)
    again = [row.pk for row in own if not row.title or title_key(row.title) in keys]
    Redirect.objects.filter(pk__in=again).delete()
    if slug != page.slug:
        _lead(page.wiki_id, slug, former[slug], page, since)
    for lost, name in former.items():
        # The address alone would not tell `C# thing` from a heading of the page `C`.
        is_elsewhere = lost not in (slug, page.slug) or (lost == page.slug and "#" in name)
        if is_elsewhere and title_key(name) not in keys and not _is_held(page, lost):
            _lead(page.wiki_id, lost, name, page, since)


def _lead(wiki_id: int, slug: str, name: str, page: Page, since: datetime) -> None:
    """The last page that had a name is the one that it leads to."""
    if not name:
        # An address that was a title of the page before stays one.
        own = Redirect.objects.filter(wiki=wiki_id, slug=slug, page=page)
        name = own.values_list("title", flat=True).first() or ""
    Redirect.objects.update_or_create(
        wiki_id=wiki_id, slug=slug, defaults={"page": page, "title": name, "created_at": since}
    )


def _is_held(page: Page, slug: str) -> bool:
    """Whether another live page has this address or a name of this slug."""
    alike = Page.objects.live().filter(wiki=page.wiki_id, folds__overlap=fold_slug(slug))
    others = alike.exclude(pk=page.pk).only("slug", "title", "aliases")
    return any(slug in names_of(other) for other in others)


def redirect_to_successor(page: Page, successor: Page) -> set[str]:
    """Make every address and name of a page in the trash lead to its successor. Return them
    folded."""
    since = page.trashed_at or page.updated_at
    rows = Redirect.objects.filter(wiki=page.wiki_id, page=page)
    former = list(rows.values_list("slug", flat=True))
    rows.update(page=successor, created_at=since)
    own = {slug: name for slug, name in names_of(page).items() if not _is_held(page, slug)}
    for slug, name in own.items():
        _lead(page.wiki_id, slug, name, successor, since)
    return fold_slugs([*own, *former])


def take_redirects_back(page: Page) -> set[str]:
    """Undo `redirect_to_successor` for a page that is about to come back."""
    sent_on = Redirect.objects.filter(
        wiki=page.wiki_id, created_at=page.trashed_at or page.updated_at
    )
    former = list(sent_on.values_list("slug", flat=True))
    sent_on.filter(slug__in=names_of(page)).delete()
    sent_on.update(page=page)
    return fold_slugs(former)


def every_fold(page: Page) -> set[str]:
    """Every folded form by which a link may find a page, by its former names too."""
    former = Redirect.objects.filter(page=page).values_list("slug", flat=True)
    return {*page.folds, *fold_slugs(former)}


def drop_unused(page: Page, since: datetime) -> None:
    """Remove the redirects of that moment without links, and give the addresses back to earlier
    owners."""
    links = Link.objects.live().filter(resolved_page=page)
    others = links.exclude(target_key__in=[page.slug, slugify(page.title)])
    for row in Redirect.objects.filter(page=page, created_at=since):
        if not others.filter(target_folds__overlap=fold_slug(row.slug)).exists():
            row.delete()
            give_to_earlier_owner(page, row.slug)


def give_to_earlier_owner(page: Page, slug: str) -> None:
    """Make an address lead to the live page that was the last to have it before this page."""
    come = (
        page.revisions.filter(slug=slug)
        .order_by("number")
        .values_list("created_at", flat=True)
        .first()
    )
    earlier = Revision.objects.filter(page__wiki=page.wiki_id, slug=slug, page__trashed_at=None)
    earlier = (
        earlier.filter(created_at__lt=come or page.updated_at)
        .exclude(page=page)
        .exclude(page__slug=slug)
    )
    if last := earlier.order_by("-created_at").select_related("page").defer("body").first():
        Redirect.objects.get_or_create(
            wiki_id=page.wiki_id, slug=slug, defaults={"page": last.page}
        )


def fold_slugs(slugs: Iterable[str]) -> set[str]:
    return {fold for slug in slugs for fold in fold_slug(slug)}
