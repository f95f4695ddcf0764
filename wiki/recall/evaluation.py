"""The quality of recall, measured by questions with the pages that answer them."""

import json
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from embeddings.client import active_fingerprint
from wiki.models import AskedAs, HandedPage, Wiki
from wiki.names.resolve import resolve_targets
from wiki.recall.questions import question_key
from wiki.search.retrieval import Mode, RecallRequest, retrieve

PLACES = (1, 5, 10)


class Unusable(Exception):
    """A line that is no question, or a recall that words answered in place of meaning."""


@dataclass(frozen=True)
class Case:
    """A question with the addresses of the pages that answer it."""

    query: str
    expected: list[str]


@dataclass(frozen=True)
class Answer:
    """The places of the expected pages among the first ten, 1 for the first."""

    places: list[int]
    expected: int
    seconds: float
    query: str = ""

    def found_within(self, place: int) -> float:
        """The share of the expected pages up to a place; 1 if no more fit there."""
        return sum(found <= place for found in self.places) / min(place, self.expected)

    @property
    def reciprocal_rank(self) -> float:
        return 1 / min(self.places) if self.places else 0.0


@dataclass(frozen=True)
class Evaluation:
    """Means over all questions; the latencies in milliseconds."""

    mode: Mode
    model: str
    queries: int
    recall_at: dict[int, float]
    reciprocal_rank: float
    median: float
    slowest_twentieth: float
    # Queries that found none of their pages among the first ten.
    missed: list[str]


def read_cases(lines: Iterable[str]) -> Iterator[Case]:
    """Read lines such as {"query": "…", "expected": "slug"}, or with a list of slugs; skip empty
    ones. Raises Unusable."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _read_case(number, line)


def _read_case(number: int, line: str) -> Case:
    try:
        row = json.loads(line)
        query, expected = row["query"], row["expected"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unusable(f'Line {number} is not {{"query": …, "expected": …}}.') from error
    slugs = [expected] if isinstance(expected, str) else expected
    if not isinstance(query, str) or not query.strip():
        raise Unusable(f"The query of line {number} is no text.")
    if (
        not isinstance(slugs, list)
        or not slugs
        or not all(isinstance(slug, str) and slug.strip() for slug in slugs)
    ):
        raise Unusable(f"What is expected in line {number} is neither a slug nor a list of slugs.")
    return Case(query, list(dict.fromkeys(slugs)))


def find_unknown(wiki: Wiki, cases: Iterable[Case]) -> list[str]:
    """Find the expected addresses that lead to no page."""
    slugs = {slug for case in cases for slug in case.expected}
    return sorted(slugs - resolve_targets(wiki.pk, slugs).keys())


def answer_case(wiki: Wiki, case: Case, mode: Mode) -> Answer:
    """Ask once, without a receipt. The same question is left out where pages are also asked as it:
    a mark would only find itself again. Raises Unusable when words answer in place of meaning."""
    resolved = resolve_targets(wiki.pk, case.expected)
    wanted = {resolved[slug].page.pk if slug in resolved else slug for slug in case.expected}
    others = AskedAs.objects.exclude(key=question_key(case.query))
    begun = time.perf_counter()
    found = retrieve(RecallRequest(wiki, case.query, PLACES[-1], mode), asked=others)
    seconds = time.perf_counter() - begun
    if found.degraded:
        raise Unusable(f"Nothing was measured: {found.reason}")
    places = [place for place, hit in enumerate(found.hits, start=1) if hit.page.pk in wanted]
    return Answer(places, len(wanted), seconds, case.query)


def sum_up(mode: Mode, answers: Sequence[Answer]) -> Evaluation:
    seconds = sorted(answer.seconds for answer in answers)
    return Evaluation(
        mode=mode,
        model=active_fingerprint(),
        queries=len(answers),
        recall_at={
            place: statistics.fmean(answer.found_within(place) for answer in answers)
            for place in PLACES
        },
        reciprocal_rank=statistics.fmean(answer.reciprocal_rank for answer in answers),
        median=statistics.median(seconds) * 1000,
        slowest_twentieth=seconds[int(len(seconds) * 0.95)] * 1000,
        missed=[answer.query for answer in answers if not answer.places],
    )


def marked_cases(wiki: Wiki) -> Iterator[Case]:
    """The pages that were marked as useful, by question: of recalls whose text is kept, and by the
    questions kept with pages.

    A merged page is named by the one that it went into; one in the trash is left out.
    """
    cases: dict[str, Case] = {}
    for query, slug in [*_useful(wiki), *_asked(wiki)]:
        case = cases.setdefault(question_key(query), Case(query, []))
        if slug not in case.expected:
            case.expected.append(slug)
    yield from (case for key, case in cases.items() if key)


def _useful(wiki: Wiki) -> Iterator[tuple[str, str]]:
    rows = (
        HandedPage.objects.readable()
        .filter(receipt__wiki=wiki, is_useful=True)
        .exclude(receipt__query="")
    )
    named = rows.order_by("id").values_list(
        "receipt__query", "page__slug", "page__merged_into__slug"
    )
    yield from ((query, into or slug) for query, slug, into in named.iterator())


def _asked(wiki: Wiki) -> Iterator[tuple[str, str]]:
    rows = AskedAs.objects.filter(page__wiki=wiki, page__trashed_at=None).order_by("id")
    yield from rows.values_list("text", "page__slug").iterator()
