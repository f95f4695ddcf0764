"""Names through moves, renames, merges, the trash and their undoing: a link that led to a page
leads on to it, to what took its place, to a choice, or its page is in the trash."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from tests.support.thorough import share_of
from tests.support.writing import create_page, revise_page
from wiki.merging.merge import MergeRefused, merge_pages, undo_merge
from wiki.models import Merge, Page, Wiki
from wiki.names.resolve import Resolved
from wiki.pages.author import Author
from wiki.pages.fields import InvalidPage
from wiki.pages.links import LinkName, resolve_names
from wiki.pages.redirects import names_of
from wiki.pages.rename import find_undoable, rename_page, undo_rename
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import SlugTaken
from wiki.text.slugs import fold_slug, slugify

BOT = Author.maintenance()
# Few, so that pages often want the same one; told apart by case, accents and signs alone.
NAMES = [
    *("Otter", "otter", "Übung", "Uebung", "Ubung", "C", "C#", "C++", "A#B", "A"),
    *("IT/Systemd", "README.md", "README", "search", "日本語", "x-2", "Otter-2"),
]
LINKS: list[LinkName] = [
    *((name, False) for name in NAMES),
    *((f"{name}.md", True) for name in NAMES if "#" not in name),
]
STEPS = (
    "create",
    "retitle",
    "rename",
    "alias",
    "trash",
    "heir",
    "restore",
    "merge",
    "undo",
    "back",
)
Step = tuple[str, int, int, str, str]


class _World:
    """A wiki, a page with all links, and the page that each link last led to."""

    def __init__(self) -> None:
        self.wiki = Wiki.objects.create(slug="names", name="Names")
        body = "\n\n".join(f"[x](<{t}>)" if is_address else f"[[{t}]]" for t, is_address in LINKS)
        self.hub = create_page(self.wiki, title="Hub of all", body=body, author=BOT)
        self.led: dict[LinkName, int] = {}
        self.heirs: dict[int, int] = {}
        # When a page was last called so.
        self.held: dict[tuple[int, str], int] = {}
        self.time = 0

    def take(self, step: Step) -> None:
        action, first, second, name, other = step
        pages = list(Page.objects.filter(wiki=self.wiki).exclude(pk=self.hub.pk).order_by("id"))
        live = [page for page in pages if not page.is_trashed]
        if action == "create":
            create_page(self.wiki, title=name, body=f"{first}", author=BOT, aliases=[other])
            return
        chosen = pages if action == "restore" else live
        if not chosen:
            return
        one, two = chosen[first % len(chosen)], chosen[second % len(chosen)]
        getattr(self, f"_{action}")(one, two, name)

    def _retitle(self, page: Page, _: Page, name: str) -> None:
        revise_page(page, page.revision, title=name, body=page.body, author=BOT)

    def _rename(self, page: Page, _: Page, name: str) -> None:
        rename_page(page, page.revision, title=name, author=BOT)

    def _alias(self, page: Page, _: Page, name: str) -> None:
        revise_page(
            page, page.revision, title=page.title, body=page.body, aliases=[name], author=BOT
        )

    def _trash(self, page: Page, _: Page, name: str) -> None:
        trash_page(page, author=BOT)
        self.heirs.pop(page.pk, None)

    def _heir(self, page: Page, other: Page, name: str) -> None:
        if page != other:
            trash_page(page, author=BOT, successor=other)
            self.heirs[page.pk] = other.pk

    def _restore(self, page: Page, _: Page, name: str) -> None:
        if page.is_trashed and not page.merged_into_id:
            restore_page(page, author=BOT, new_address=True)
            self.heirs.pop(page.pk, None)

    def _merge(self, page: Page, other: Page, name: str) -> None:
        if page != other:
            merge_pages(page, other, author=BOT)

    def _undo(self, page: Page, _: Page, name: str) -> None:
        if merge := Merge.objects.filter(undone_at=None, survivor=page).order_by("pk").last():
            undo_merge(merge, author=BOT, new_address=True)

    def _back(self, page: Page, _: Page, name: str) -> None:
        if rename := find_undoable(page):
            undo_rename(page, rename.number, page.revision, author=BOT)

    def follow(self, page_id: int) -> Page:
        """Where a page has gone."""
        seen = set()
        page = Page.objects.get(pk=page_id)
        while page.is_trashed and page.pk not in seen:
            seen.add(page.pk)
            following = page.merged_into_id or self.heirs.get(page.pk)
            if not following:
                break
            page = Page.objects.get(pk=following)
        return page

    def check(self) -> None:
        self.time += 1
        for page in Page.objects.live().filter(wiki=self.wiki):
            self.held |= {(page.pk, fold): self.time for fold in page.folds}
        fresh = resolve_names(self.wiki.pk, LINKS)
        rows = {(row.target_text, row.is_address): row for row in self.hub.links.all()}
        for link in LINKS:
            resolved = fresh.get(link)
            is_choice = bool(resolved and resolved.is_ambiguous)
            page = None if resolved is None or is_choice else resolved.page.pk
            row = rows[link]
            assert (row.resolved_page_id, row.is_ambiguous) == (page, is_choice), link
            self._check_lead(link, resolved)

    def _last_held(self, page_id: int, link: LinkName) -> int:
        return max(self.held.get((page_id, fold), 0) for fold in _folds(link))

    def _check_lead(self, link: LinkName, now: Resolved | None) -> None:
        before = self.led.get(link)
        if now is None:
            assert before is None or self.follow(before).is_trashed, link
            return
        if now.is_ambiguous:
            assert all(_has(page, link) for page in now.pages), link
            return
        if before is not None and now.page.pk != self.follow(before).pk:
            # Another page took the name, or has it since the former one went.
            is_later = self._last_held(now.page.pk, link) >= self._last_held(before, link)
            assert is_later or _has(now.page, link) or self.follow(before).is_trashed, link
        if before is None or now.page.pk != self.follow(before).pk:
            self.led[link] = now.page.pk


def _has(page: Page, link: LinkName) -> bool:
    """Whether a page is called so now, in any spelling."""
    folds = _folds(link)
    return not folds.isdisjoint(page.folds) or not folds.isdisjoint(names_of(page))


def _folds(link: LinkName) -> set[str]:
    text, _ = link
    bare = text.removesuffix(".md")
    spellings = [text, text.partition("#")[0], bare, bare.removesuffix(".md")]
    spellings += [each.rpartition("/")[2] for each in spellings]
    return {fold for each in spellings for fold in fold_slug(slugify(each))}


@contextmanager
def rolled_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


STEP = st.tuples(
    st.sampled_from(("create", *STEPS)),
    st.integers(0, 5),
    st.integers(0, 5),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
)


@settings(
    max_examples=share_of(400),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEP, min_size=1, max_size=14))
def test_a_link_leads_to_its_page_whatever_happens(db: None, steps: list[Step]) -> None:
    with rolled_back():
        world = _World()
        for step in steps:
            try:
                with transaction.atomic():
                    world.take(step)
            except (SlugTaken, MergeRefused, InvalidPage):
                continue
            note(f"{step}")
            world.check()
