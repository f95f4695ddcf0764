"""Proposals for a wikilink while it is typed."""

import re
from dataclasses import dataclass

from wiki.markdown import Heading, WikiLink, find_wikilinks, heading_id, list_headings
from wiki.models import Page, PageQuerySet, Redirect, Wiki
from wiki.names.addresses import fragment, page_path
from wiki.names.resolve import resolve_links, resolve_paths
from wiki.text.slugs import fold_slug, slugify, title_key

PROPOSED = 8


@dataclass(frozen=True)
class Proposal:
    """A page, the text for a link to it, and the former address that was typed."""

    page: Page
    link: str
    formerly: str = ""


def propose_pages(wiki: Wiki, typed: str) -> list[Proposal]:
    """Find pages by the words of their title or former address; without words the last changed."""
    live = _light(wiki)
    pages = list((live.titled(typed) if typed else live.order_by("-updated_at"))[:PROPOSED])
    former = _find_former(wiki, typed, pages) if typed and len(pages) < PROPOSED else {}
    return _as_links(wiki, [*pages, *former][:PROPOSED], former)


def propose_beginnings(wiki: Wiki, typed: str) -> list[Proposal]:
    """Find pages whose title begins with exactly this: "C# for beginners" by "C#"."""
    begun = _light(wiki).filter(title_key__startswith=title_key(typed)).order_by("title_key", "id")
    return _as_links(wiki, list(begun[:PROPOSED]), {})


def _light(wiki: Wiki) -> PageQuerySet:
    return Page.objects.live().filter(wiki=wiki).only("slug", "title", "type")


def _as_links(wiki: Wiki, pages: list[Page], former: dict[Page, str]) -> list[Proposal]:
    meant = resolve_links(wiki.pk, {page.title for page in pages})
    # Of two pages with one title the title means neither.
    own = {page for page in pages if page.title in meant and meant[page.title].pages == [page]}
    return [Proposal(page, write_link(page, page in own), former.get(page, "")) for page in pages]


def _find_former(wiki: Wiki, typed: str, known: list[Page]) -> dict[Page, str]:
    former = Redirect.objects.live().named(typed).filter(wiki=wiki).exclude(page__in=known)
    former = former.select_related("page").only("slug", "page__slug", "page__title", "page__type")
    return {redirect.page: redirect.slug for redirect in former[:PROPOSED]}


def write_link(page: Page, has_own_title: bool = True) -> str:
    """Return the text between the brackets: the title if it can stand there and means this page,
    else the address with the title as its label, or alone."""
    if has_own_title and _reads_as(page.title, WikiLink(page.title, "", "")):
        return page.title
    labelled = f"{page.slug}|{page.title}"
    return labelled if _reads_as(labelled, WikiLink(page.slug, "", page.title)) else page.slug


def _reads_as(text: str, link: WikiLink) -> bool:
    return find_wikilinks(f"[[{text}]]") == [link]


def link_to_address(wiki: Wiki, address: str) -> str:
    """Return what a link says in place of the address of a page of this wiki; empty for any other
    address."""
    path = page_path(address, wiki.slug)
    resolved = resolve_paths(wiki.pk, [path]).get(path) if path else None
    if resolved is None or resolved.is_ambiguous:
        return ""
    target, bar, label = _as_links(wiki, [resolved.page], {})[0].link.partition("|")
    part = fragment(address)
    return f"{target}#{part}" if part else f"{target}{bar}{label}"


def means_a_page(wiki: Wiki, typed: str) -> bool:
    """Whether a link with these words leads somewhere already."""
    return bool(resolve_links(wiki.pk, [typed]))


def propose_headings(wiki: Wiki, target: str, typed: str) -> list[tuple[Heading, str]]:
    """Return headings of the linked page, each with the text for it behind the `#`."""
    resolved = resolve_links(wiki.pk, [target]).get(target)
    body = Page.objects.values_list("body", flat=True).get(pk=resolved.page.pk) if resolved else ""
    wanted = fold_slug(slugify(typed)) if typed.strip() else [""]
    fitting = (
        heading
        for heading in list_headings(body)
        if any(form in name for form in wanted for name in fold_slug(slugify(heading.text)))
    )
    return [
        (heading, _write_heading(heading))
        for heading, _ in zip(fitting, range(PROPOSED), strict=False)
    ]


def _write_heading(heading: Heading) -> str:
    words = " ".join(re.sub(r"[\[\]|]", " ", heading.text).split())
    # The second heading of the same words has a number in its anchor, which its words do not say.
    return words if heading_id(words) == heading.id else heading.id.removeprefix("h-")
