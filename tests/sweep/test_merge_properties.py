"""Merging and undoing with pages that nobody would think of: what was written comes back, and no
word is lost."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.thorough import share_of
from tests.support.writing import create_page, revise_page
from wiki.insights.intake import Handed, file_insight
from wiki.markdown import find_wikilinks
from wiki.markdown.insight_block import insight_block
from wiki.merging.combine_texts import unite_texts
from wiki.merging.merge import UndoConflict, merge_pages, undo_merge
from wiki.models import Agent, Insight, Link, Merge, Page, Redirect, Wiki
from wiki.pages.author import Author
from wiki.pages.rename import rename_page
from wiki.pages.status import mark_replaced
from wiki.text.slugs import slugify

BOT = Author.maintenance()
DAY = date(2026, 11, 30)


def bounded(examples: int) -> settings:
    """The same examples each time: nobody trusts a suite that fails now and then."""
    calm = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=calm,
    )


# Few enough that two pages often say nearly the same, and among them what a careless rule takes for
# nothing: combining marks, signs beyond the first plane, words of one letter, and what only a sign
# or its case tells apart.
WORDS = st.sampled_from(
    "pump valve log restart The is not never was nicht wird den der Ärger Arger 日本 日木 कि की 👍 👎 𝔘 "
    "e\u0301 C C++ "
    "-v `-V` `-v` ~~no~~ no [[Gamma]] [[Beta|b]] **bold** 7 -7 8080 8081 5% a/b It "
    "https://a.example/X https://a.example/x".split()
)
ENDS = st.sampled_from([".", ".", ".", "?", "", "!", ":"])
SENTENCES = st.builds(
    lambda words, end: " ".join(words) + end, st.lists(WORDS, min_size=1, max_size=5), ENDS
)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)


def draw_list(mark: str, items: list[str], nested: list[str]) -> str:
    lines = [
        f"{mark} {item}" + (f"\n   {mark} {below}" if below else "")
        for item, below in zip(items, nested, strict=False)
    ]
    return "\n".join(lines)


THREE = {"min_size": 3, "max_size": 3}
LISTS = st.builds(
    draw_list,
    st.sampled_from(["-", "*", "1."]),
    st.lists(SENTENCES, min_size=1, max_size=3),
    st.lists(st.sampled_from(["", "", "pump", "valve"]), **THREE),
)
LINES_OF_CODE = st.lists(
    st.sampled_from(["x = 1", "  x = 1", "if y:", "x  = 1", "[[Gamma]]"]), min_size=1, max_size=3
)
CODE = st.builds(
    lambda lines, fence: "\n".join([fence, *lines, fence]),
    LINES_OF_CODE,
    st.sampled_from(["```", "~~~", "````"]),
)
INSIGHTS = PARAGRAPHS.map(lambda text: insight_block(text, "robin", DAY, "ticket-1"))
HEADINGS = st.builds(lambda level, words: f"{'#' * level} {words}", st.integers(1, 3), SENTENCES)
OTHER = st.sampled_from(
    [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "> pump",
        "> valve",
        "---",
        "[x]: https://a.example/1",
        "[x]: https://a.example/2",
        "```\nnever closed",
        "::: insight robin\nnever closed",
        "- ```\n  never closed",
        "    x = 1",
        "pump\n====",
    ]
)
BLOCKS = st.one_of(PARAGRAPHS, PARAGRAPHS, LISTS, CODE, INSIGHTS, HEADINGS, OTHER)
BODIES = st.builds(
    lambda blocks, gap, head, tail: head + gap.join(blocks) + tail,
    st.lists(BLOCKS, max_size=6),
    st.sampled_from(["\n\n", "\n\n", "\n", "\r\n\r\n", "\n\n\n", "\n\u2028\n"]),
    st.sampled_from(["", "", "", "\n", "\r\n"]),
    st.sampled_from(["", "", "", "\n", "  \n\n"]),
)
TITLES = st.sampled_from(["Beta", "Größe", "日本", "A *b* [c]", "e\u0301 𝔘", "search", "!"])
TAGS = st.lists(st.sampled_from(["a", "b", "größe", "日本"]), unique=True, max_size=3)
TYPES = st.sampled_from(["", "", "topic", "system"])


# -- the text

_MARKS = re.compile(r"^\s*(?:(?:[-*+>]|#{1,6}|\d+\.)\s+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_EMPTY = set("the is der".split())


def said_in(sentence: str) -> list[str]:
    """Its words and signs, of which nothing but punctuation at their ends and what says nothing
    may differ."""
    text = unicodedata.normalize("NFC", sentence)
    words = [word if "`" in word or "://" in word else word.lower() for word in text.split()]
    words = [word.strip(".!:") for word in words]
    return [word for word in words if word and word not in _EMPTY]


def statements(body: str) -> Iterator[tuple[str, list[str]]]:
    """Every sentence with the heading above it."""
    heading, fence = "", ""
    for line in body.replace("\r\n", "\n").split("\n"):
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (found := re.match(r"#{1,6} (.+)", line)):
            heading = " ".join(said_in(found[1]))
        for sentence in [line] if fence else _SENTENCE_END.split(_MARKS.sub("", line)):
            if (words := said_in(sentence)) and re.search(r"\w", "".join(words)):
                yield heading, words


def stands(words: list[str], text: list[str]) -> bool:
    joined = "\x1f".join(words)
    return f"\x1f{joined}\x1f" in "\x1f".join(["", *text, ""])


@bounded(share_of(250))
@given(BODIES, BODIES)
@example("- Do:\n  - pump\n- Never:\n  - valve", "- Do:\n  - valve\n- Never:\n  - pump")
@example("Do:\n\n- pump\n\nNever:\n\n- valve", "Do:\n\n- valve\n\nNever:\n\n- pump")
@example("## Test\n\nPort 80.\n\n## Live\n\nPort 81.", "## Test\n\nPort 81.\n\n## Live\n\nPort 80.")
@example("Pump leaks. It is old.", "Valve leaks. It is old.")
@example("Who has the key? Ina.", "Who wrote this? Ina.")
@example("```\nif x:\n    a()\nb()\n```", "```\nif x:\n    a()\n    b()\n```")
@example("## Known\n\nOne.", "## Known\n\nTwo.\n\n## Not on Fridays")
@example("Is.", "Is is. The.")
@example('He said "stop." Then he left.', 'He said "stop." He came back.')
def test_the_merged_text_says_all_that_both_said(first: str, second: str) -> None:
    first, second = first.replace("\r\n", "\n"), second.replace("\r\n", "\n")
    united = unite_texts(first, second, "Beta", DAY, "en", title="Alpha")
    assert united.startswith(first.rstrip())
    text = [word for _, words in statements(united) for word in words]
    under = {heading: [] for heading, _ in statements(united)}
    for heading, words in statements(united):
        under[heading] += words
    for heading, words in statements(second):
        assert stands(words, text), words
        # What stands below an underlined heading is for the parser to tell.
        if heading and "====" not in first + second:
            assert stands(words, under[heading]), (heading, words)


@bounded(share_of(150))
@given(BODIES, BODIES)
@example("```\nnever closed", "[[Beta]]")
@example("::: insight robin\n~~~\nnever closed", "~~~\nnever closed\n\n[[Beta]]")
@example("- ```\n  closed by the end of the list", "[[Beta]]")
def test_the_merged_text_has_the_links_of_both(first: str, second: str) -> None:
    first, second = first.replace("\r\n", "\n"), second.replace("\r\n", "\n")
    united = unite_texts(first, second, "Beta", DAY, "en")
    links = [
        {slugify(link.target) for link in find_wikilinks(text)} for text in (first, second, united)
    ]
    assert links[0] | links[1] <= links[2]


@bounded(share_of(100))
@given(BODIES)
def test_a_text_says_nothing_that_it_does_not_say_already(body: str) -> None:
    body = body.replace("\r\n", "\n")
    assert unite_texts(body, body, "Beta", DAY, "en") == body


# -- the pages


@contextmanager
def forgotten() -> Iterator[None]:
    """What one example writes is gone before the next."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def state(wiki: Wiki) -> list[object]:
    """All that a merge moves and an undoing has to bring back."""
    names = (
        "pk",
        "slug",
        "title",
        "body",
        "type",
        "tags",
        "folds",
        "text_hash",
        "embed_model",
        "standing",
    )
    pages = Page.objects.filter(wiki=wiki).order_by("pk")
    return [
        list(pages.values(*names, "replaced_by", "trashed_at", "merged_into")),
        [
            None if page.embedding is None else [float(value) for value in page.embedding]
            for page in pages
        ],
        sorted(Link.objects.values_list("from_page", "target_text", "resolved_page"), key=str),
        sorted(Redirect.objects.values_list("slug", "page")),
        sorted(Insight.objects.values_list("pk", "page")),
    ]


def fresh(page: Page) -> Page:
    return Page.objects.get(pk=page.pk)


PAGES = st.fixed_dictionaries({"body": BODIES, "type": TYPES, "tags": TAGS})


@bounded(share_of(30))
@given(PAGES, PAGES, TITLES, st.booleans(), st.booleans())
def test_merging_undoing_merging_again_undoing_is_the_identity(
    wiki: Wiki,
    agent: Agent,
    one: dict,
    other: dict,
    title: str,
    is_renamed: bool,
    has_insight: bool,
) -> None:
    with forgotten():
        survivor = create_page(wiki, title="Alpha", author=BOT, **one)
        source = create_page(wiki, title=title, author=BOT, **other)
        create_page(wiki, title="Gamma", body=f"[[Alpha]] [[{title}]] [[Beta]]", author=BOT)
        mark_replaced(create_page(wiki, title="Old", body="Was.", author=BOT), source, author=BOT)
        if is_renamed:
            rename_page(source, 1, title=f"{title} anew", author=BOT)
        if has_insight:
            file_insight(wiki, agent, Handed("It leaks at night.", page=fresh(source).slug))
        before = state(wiki)
        for _ in range(2):
            merge = merge_pages(fresh(survivor), fresh(source), author=BOT)
            assert fresh(source).is_trashed
            undo_merge(merge, author=BOT)
            assert state(wiki) == before


EDITS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "insert",
                "insert",
                "append",
                "prepend",
                "replace",
                "extend",
                "delete",
                "move",
                "title",
                "tag",
            ]
        ),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    min_size=1,
    max_size=5,
)


def edit(page: Page, kind: str, number: int, place: int, other: int) -> Page:
    """Somebody's next edit; what they write is theirs alone: the word n-zz."""
    word, title, tags, lines = f"{number}zz", page.title, list(page.tags), page.body.split("\n")
    place, other = place % len(lines), other % len(lines)
    match kind:
        case "insert":
            lines.insert(place, word)
        case "append":
            lines.append(f"\n{word}")
        case "prepend":
            lines.insert(0, f"{word}\n")
        case "replace":
            lines[place] = word
        case "extend":
            lines[place] += f" {word}"
        case "delete":
            del lines[place]
        case "move":
            lines.insert(other, lines.pop(place))
        case "title":
            title = word
        case "tag":
            tags.append(word)
    return revise_page(
        page, page.revision, title=title, body="\n".join(lines), tags=tags, author=BOT
    )


def lines_of(body: str) -> Counter[str]:
    return Counter(line.strip() for line in body.split("\n") if line.strip())


@bounded(share_of(60))
@given(BODIES, BODIES, EDITS)
def test_what_was_written_between_is_kept_or_asked_about(
    wiki: Wiki, one: str, other: str, edits: list
) -> None:
    with forgotten():
        survivor = create_page(wiki, title="Alpha", body=one, author=BOT)
        source = create_page(wiki, title="Beta", body=other, author=BOT)
        own, brought = survivor.body, source.body
        merge = merge_pages(survivor, source, author=BOT)
        merged = fresh(survivor)
        present = merged
        for number, (kind, *places) in enumerate(edits):
            present = edit(present, kind, number, *places)
        try:
            undo_merge(merge, author=BOT)
        except UndoConflict:
            assert (fresh(survivor).body, fresh(source).is_trashed) == (present.body, True)
            assert Merge.objects.get().undone_at is None
            return
        left = fresh(survivor)
        assert fresh(source).body == brought
        came_in = lines_of(merged.body) - lines_of(own)
        assert lines_of(present.body) - came_in <= lines_of(left.body)
        assert (left.title, set(present.tags) - set(left.tags)) == (present.title, set())


def test_the_examples_reach_both_ends_of_an_undoing(wiki: Wiki) -> None:
    """The property above would hold if every undoing were a conflict, or none."""
    ends: Counter[bool] = Counter()

    @bounded(40)
    @given(BODIES, EDITS)
    def undo(other: str, edits: list) -> None:
        with forgotten():
            survivor = create_page(wiki, title="Alpha", body="Own text.\n\nMore of it.", author=BOT)
            merge = merge_pages(
                survivor, create_page(wiki, title="Beta", body=other, author=BOT), author=BOT
            )
            present = fresh(survivor)
            for number, (kind, *places) in enumerate(edits):
                present = edit(present, kind, number, *places)
            try:
                undo_merge(merge, author=BOT)
            except UndoConflict:
                ends[False] += 1
            else:
                ends[True] += 1

    undo()
    assert min(ends[True], ends[False]) >= 10
