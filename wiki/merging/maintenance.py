"""The maintenance run: merges near-duplicates that differ in no fact, proposes the others."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Q
from django.utils import timezone

from embeddings.client import active_fingerprint
from wiki.db.locks import MAINTAINING, only_one
from wiki.merging.merge import MergeRefused, choose_survivor, merge_pages
from wiki.merging.policy import Fate, Told, judge
from wiki.merging.queue import put_into_queue
from wiki.merging.template_groups import BY_FACTS, Groups
from wiki.models import MaintenanceRun, MergeProposal, Page, PageQuerySet, ProposalReason, Wiki
from wiki.pages.author import Author
from wiki.pages.protection_guard import PageProtected
from wiki.search.all_pairs import NearPair, find_near_pairs, find_pairs_of, read_vectors
from wiki.search.similarity_distribution import measure_spread, to_json
from wiki.search.thresholds import suspect_from

logger = logging.getLogger(__name__)

# A run looks at this many of the nearest pairs; what is left is found by the next one.
MAX_PAIRS = 5_000


@dataclass
class Pair:
    """Two pages that may be one; `similarity` is None where one has no vector."""

    first: int
    second: int
    similarity: float | None
    reason: ProposalReason = ProposalReason.NEAR


@dataclass
class Outcome:
    """The result for one pair; in a dry run the intended one."""

    pair: Pair
    is_merged: bool = False
    reason: ProposalReason | None = None
    differences: Sequence[Told] = ()
    pages: tuple[Page, Page] | None = None

    @property
    def is_about_facts(self) -> bool:
        return self.reason in BY_FACTS and bool(self.differences)


@dataclass
class Report:
    """The results of a run in one wiki, pair by pair."""

    run: MaintenanceRun
    outcomes: list[Outcome] = field(default_factory=list)


def maintain(wikis: Iterable[Wiki] | None = None, *, is_dry: bool = False) -> list[Report] | None:
    """Compare the pages that changed in each wiki since its last run.

    A dry run writes nothing, not even the run. Returns None while another process runs it.
    """
    with only_one(MAINTAINING) as is_alone:
        if not is_alone:
            return None
        chosen = Wiki.objects.order_by("pk") if wikis is None else wikis
        reports = (_maintain(wiki, is_dry) for wiki in chosen)
        return [report for report in reports if report]


def _maintain(wiki: Wiki, is_dry: bool) -> Report | None:
    fingerprint = active_fingerprint()
    since = last_look(wiki, fingerprint)
    changed = _changed(wiki, fingerprint, since)
    if not changed.exists():
        return None
    report = Report(MaintenanceRun(wiki=wiki, fingerprint=fingerprint, is_full=since is None))
    run = report.run
    if not is_dry:
        run.save()
    try:
        pairs, groups = _find_pairs(wiki, changed, run)
        report.outcomes = list(_decide_all(wiki, pairs, groups, is_dry))
        _count(report)
    except Exception as error:
        run.error = type(error).__name__
        raise
    finally:
        run.finished_at = timezone.now()
        if not is_dry:
            run.save()
    return report


def last_look(wiki: Wiki, fingerprint: str) -> datetime | None:
    """The beginning of the last finished run: later changes have not been compared."""
    done = MaintenanceRun.objects.filter(
        wiki=wiki, fingerprint=fingerprint, error="", finished_at__isnull=False
    )
    return done.order_by("-id").values_list("started_at", flat=True).first()


def _changed(wiki: Wiki, fingerprint: str, since: datetime | None) -> PageQuerySet:
    """Pages with a new vector since then; all of them at first and after a switch of the model."""
    pages = Page.objects.comparable(fingerprint).filter(wiki=wiki)
    return (
        pages
        if since is None
        else pages.filter(Q(embedded_at__gte=since) | Q(updated_at__gte=since))
    )


def _find_pairs(
    wiki: Wiki, changed: PageQuerySet, run: MaintenanceRun
) -> tuple[list[Pair], Groups]:
    """The pairs to decide about, and the groups that their pages belong to."""
    ids, vectors = read_vectors(Page.objects.comparable(run.fingerprint).filter(wiki=wiki))
    run.spread = to_json(measure_spread(vectors))
    chosen = set(changed.values_list("pk", flat=True))
    run.compared = len(chosen)
    beside: list[NearPair] = []
    if run.is_full:
        near = find_near_pairs(ids, vectors, suspect_from(), MAX_PAIRS)
    else:
        near = find_pairs_of(ids, vectors, chosen, suspect_from(), MAX_PAIRS)
        # What a changed page is near to has neighbours of its own, which did not change.
        others = {page_id for pair in near.pairs for page_id in pair[:2]} - chosen
        beside = find_pairs_of(ids, vectors, others, suspect_from(), MAX_PAIRS).pairs
    pairs = [Pair(pair.first, pair.second, pair.similarity) for pair in near.pairs]
    known = {(pair.first, pair.second) for pair in pairs}
    for pair in (*_copies(wiki), *_namesakes(wiki, chosen)):
        if (pair.first, pair.second) not in known:
            known.add((pair.first, pair.second))
            pairs.append(pair)
    run.found = len(pairs)
    return pairs, Groups([*pairs, *beside])


def _copies(wiki: Wiki) -> Iterator[Pair]:
    """Pairs of the same title and text, for pages without a vector."""
    live = Page.objects.live().filter(wiki=wiki)
    yield from (Pair(first, second, 1.0) for first, second in _neighbours_by(live, "text_hash"))


def _neighbours_by(live: PageQuerySet, name: str) -> Iterator[tuple[int, int]]:
    """Of the pages that share this field each with the next one."""
    twice = live.order_by().values(name).annotate(n=Count("pk")).filter(n__gt=1).values(name)
    groups: dict[str, list[int]] = defaultdict(list)
    for value, page_id in (
        live.filter(**{f"{name}__in": twice}).order_by("pk").values_list(name, "pk")
    ):
        groups[value].append(page_id)
    for ids in groups.values():
        yield from zip(ids, ids[1:], strict=False)


def _namesakes(wiki: Wiki, chosen: set[int]) -> Iterator[Pair]:
    """Neighbours among pages of one title, however different their texts are."""
    live = Page.objects.live().filter(wiki=wiki)
    for first, second in _neighbours_by(live, "title_key"):
        if first in chosen or second in chosen:
            yield Pair(first, second, None, ProposalReason.TITLE)


def _decide_all(wiki: Wiki, pairs: list[Pair], groups: Groups, is_dry: bool) -> Iterator[Outcome]:
    """Nearest first, each pair on fresh texts; a page that was merged in this run is looked at
    again in the next."""
    touched: set[int] = set()
    for pair in pairs:
        if pair.first in touched or pair.second in touched:
            continue
        outcome = _decide(wiki, pair)
        if outcome is None:
            continue
        if outcome.is_merged and not is_dry:
            outcome = _merge(outcome)
        if outcome.is_merged:
            touched |= {pair.first, pair.second}
        elif not _propose(outcome, groups, is_dry):
            continue
        yield outcome
    if not is_dry:
        groups.count_again()


def _decide(wiki: Wiki, pair: Pair) -> Outcome | None:
    """Judge a pair by the present texts; None where nothing is to be done."""
    pages = {page.pk: page for page in Page.objects.live().filter(pk__in=[pair.first, pair.second])}
    if len(pages) < 2:
        return None
    first, second = pages[pair.first], pages[pair.second]
    first.wiki = second.wiki = wiki
    are_namesakes = pair.reason == ProposalReason.TITLE
    verdict = judge(wiki, first, second, pair.similarity, are_namesakes=are_namesakes)
    if verdict.fate not in (Fate.MERGES, Fate.PROPOSED):
        return None
    return Outcome(
        pair, verdict.fate == Fate.MERGES, verdict.reason, verdict.differences, (first, second)
    )


def _merge(outcome: Outcome) -> Outcome:
    assert outcome.pages
    survivor, source = choose_survivor(*outcome.pages)
    try:
        merge_pages(
            survivor,
            source,
            author=Author.maintenance(),
            similarity=outcome.pair.similarity,
            is_automatic=True,
        )
    except (MergeRefused, PageProtected) as refused:
        # Somebody wrote on one of them a moment ago: it has a new vector, so the next run looks
        # again.
        logger.info(
            "A merge of the pages %s and %s waits: %s",
            survivor.pk,
            source.pk,
            type(refused).__name__,
        )
        outcome.is_merged, outcome.reason = False, ProposalReason.NEAR
    return outcome


def _propose(outcome: Outcome, groups: Groups, is_dry: bool) -> bool:
    """Whether that is worth a proposal: of pages made from one template there is one for all."""
    is_hint = groups.is_many(outcome.pair) and outcome.is_about_facts
    if is_hint and groups.has_hint(outcome.pair):
        return False
    if is_hint:
        groups.note_hint(outcome.pair)
    if not is_dry:
        proposal = _write_proposal(outcome, groups.size(outcome.pair) if is_hint else 2)
        if is_hint:
            groups.withdraw_others(proposal)
    return True


def _write_proposal(outcome: Outcome, alike: int) -> MergeProposal:
    assert outcome.pages
    assert outcome.reason
    similarity, differences = outcome.pair.similarity, outcome.differences
    return put_into_queue(*outcome.pages, outcome.reason, similarity, differences, alike=alike)


def _count(report: Report) -> None:
    run = report.run
    run.merged = sum(outcome.is_merged for outcome in report.outcomes)
    run.proposed = len(report.outcomes) - run.merged
    run.guarded = sum(outcome.reason == ProposalReason.GUARDED for outcome in report.outcomes)
