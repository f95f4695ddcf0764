"""The run that embeds stale pages: packets, tries, poison, one at a time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from embeddings.client import BulkResult, EmbeddingError, embed_in_bulk
from tests.support.search import recall
from tests.support.writing import create_page, revise_page
from wiki.db.locks import REEMBEDDING, only_one
from wiki.indexing import embed, reindex
from wiki.indexing.model_drift import check_canary, find_changed_model
from wiki.indexing.reindex import (
    TRIES,
    count_outgoing,
    current_run,
    measure_progress,
    resume,
    work_off,
)
from wiki.models import Canary, EmbeddingState, Page, ReembedRun, RunState
from wiki.operations.health import find_warnings
from wiki.pages.trash import restore_page, trash_page

OLD, ACTIVE = "openai:text-embedding-3-small:256", "builtin:hash:256"


def make_stale(**more):
    return Page.objects.filter(**more).update(embed_model=OLD)


class Provider:
    """Stands where the network would be: it counts what it embeds, and fails as told."""

    def __init__(self):
        self.embedded, self.error, self.poison, self.before = [], None, "", lambda document: None

    def embed_in_bulk(self, documents):
        if self.error:
            raise self.error
        for result in embed_in_bulk(documents):
            document = documents[result.position]
            self.before(document)
            if self.poison and self.poison in document.body:
                yield BulkResult(result.position, None, "The text cannot be embedded.")
            else:
                self.embedded.append(document.title)
                yield result


@pytest.fixture
def provider(monkeypatch):
    stand_in = Provider()
    monkeypatch.setattr(embed, "embed_in_bulk", stand_in.embed_in_bulk)
    return stand_in


def away(**more):
    return EmbeddingError(
        "The service does not answer.", **{"permanent": False, "remedy": "Start it.", **more}
    )


def pass_time(**delta):
    ReembedRun.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))


def test_every_page_is_embedded_exactly_once_in_packets_of_fifty(write, provider):
    for number in range(101):
        write(f"Seite {number}")
    make_stale()
    assert len(list(embed.embed_batch())) == 50
    assert work_off() is False
    assert len(provider.embedded) == len(set(provider.embedded)) == 101
    assert Page.objects.filter(embed_model=ACTIVE).count() == 101


def test_newest_changes_come_first(write, provider):
    for number in range(3):
        write(f"Seite {number}")
    make_stale()
    work_off()
    assert provider.embedded == ["Seite 2", "Seite 1", "Seite 0"]


def test_trashed_and_wordless_pages_stay_out_of_the_run_and_of_its_counts(write, author, provider):
    write("!", "—")
    trash_page(write("Weg"), author=author)
    write("Da")
    make_stale(slug="da")
    assert (measure_progress().done, measure_progress().total) == (0, 1)
    work_off()
    assert provider.embedded == ["Da"]
    assert (measure_progress().done, measure_progress().total) == (1, 1)


def test_an_edit_during_the_run_wins(write, author, provider):
    page = write("Seite", "Alt.")
    make_stale()

    def edit(document):
        if document.body == "Alt.":
            revise_page(page, 1, title="Seite", body="Neu.", author=author)

    provider.before = edit
    work_off()
    page.refresh_from_db()
    twin = write("Seite", "Neu.")
    assert page.embed_model == ACTIVE
    assert list(page.embedding) == pytest.approx(list(twin.embedding))


def test_a_poisonous_page_is_isolated_with_its_error_and_the_rest_goes_on(write, provider):
    for number in range(60):
        write(f"Seite {number}", "Gift" if number == 30 else "Gut")
    make_stale()
    provider.poison = "Gift"
    assert work_off() is False
    poisoned = Page.objects.get(title="Seite 30")
    assert poisoned.embedding_state(ACTIVE) == EmbeddingState.FAILED
    assert poisoned.embed_error == "The text cannot be embedded."
    assert Page.objects.filter(embed_model=ACTIVE).count() == 59
    assert current_run().state == RunState.IDLE


def test_an_edit_gives_a_poisonous_page_another_try(write, author, provider):
    page = write("Seite", "Gift")
    make_stale()
    provider.poison = "Gift"
    work_off()
    page.refresh_from_db()
    assert revise_page(page, 1, title="Seite", body="Gut", author=author).embed_error == ""


def test_a_service_that_is_away_is_tried_every_minute_thirty_times_then_loudly_given_up(
    write, provider, caplog
):
    write("Seite")
    make_stale()
    provider.error = away()
    for attempt in range(1, TRIES):
        work_off()
        run = current_run()
        assert (run.state, run.attempt, run.error) == (
            RunState.WAITING,
            attempt,
            "The service does not answer.",
        )
        assert run.remedy == "Start it."
        work_off()
        assert current_run().attempt == attempt, "not before its minute is over"
        assert timedelta(seconds=50) < run.next_try_at - timezone.now() <= timedelta(minutes=1)
        pass_time()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    work_off()
    run = current_run()
    assert (run.state, run.attempt) == (RunState.FAILED, TRIES)
    assert run.next_try_at - timezone.now() > timedelta(minutes=5)
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1
    assert any(
        warning.id == "provider" and "Start it." in warning.message for warning in find_warnings()
    )


def test_a_slow_probe_resumes_a_run_that_was_given_up(write, provider):
    write("Seite")
    make_stale()
    ReembedRun.objects.create(fingerprint=ACTIVE, state=RunState.FAILED, attempt=TRIES)
    pass_time()
    work_off()
    assert Page.objects.get().embed_model == ACTIVE
    run = current_run()
    assert (run.state, run.attempt, run.error) == (RunState.IDLE, 0, "")


def test_any_successful_call_ends_the_waiting(write, wiki, provider):
    write("Seite")
    make_stale()
    provider.error = away()
    work_off()
    provider.error = None
    work_off()
    assert Page.objects.get().embed_model == OLD
    recall(wiki, "Seite")
    work_off()
    assert Page.objects.get().embed_model == ACTIVE


def test_a_permanent_fault_stops_at_once_and_touches_no_row(write, provider):
    write("Seite")
    make_stale()
    provider.error = EmbeddingError(
        "The key is refused.", permanent=True, remedy="Set another key."
    )
    work_off()
    run = current_run()
    assert (run.state, run.attempt, run.next_try_at) == (RunState.STOPPED, 1, None)
    provider.error = None
    assert work_off() is False
    assert Page.objects.get().embed_model == OLD
    resume()
    work_off()
    assert Page.objects.get().embed_model == ACTIVE


def test_a_provider_that_names_a_pause_is_left_alone_that_long(write, provider):
    write("Seite")
    make_stale()
    provider.error = away(retry_after=600.0)
    work_off()
    assert current_run().next_try_at - timezone.now() > timedelta(minutes=9)


def test_a_failure_in_the_middle_keeps_what_was_embedded(write, provider):
    for number in range(10):
        write(f"Seite {number}")
    make_stale()

    def fail_late(document):
        if document.title == "Seite 4":
            raise away()

    provider.before = fail_late
    work_off()
    assert Page.objects.filter(embed_model=ACTIVE).count() == 5
    assert current_run().embedded == 5
    provider.before = lambda document: None
    pass_time()
    work_off()
    assert len(provider.embedded) == len(set(provider.embedded)) == 10


def test_when_time_is_over_the_run_stops_and_wants_to_go_on(write, provider):
    for number in range(10):
        write(f"Seite {number}")
    make_stale()
    assert work_off(seconds=-1) is True
    assert len(provider.embedded) == 1
    assert work_off() is False
    assert len(provider.embedded) == 10


def test_progress_has_an_estimate(write, provider):
    for number in range(4):
        write(f"Seite {number}")
    make_stale()
    work_off(seconds=-1)
    ReembedRun.objects.update(
        started_at=timezone.now() - timedelta(seconds=10), progressed_at=timezone.now()
    )
    progress = measure_progress()
    assert (progress.done, progress.total) == (1, 4)
    assert progress.seconds_left == pytest.approx(30, abs=1)


def test_what_would_leave_the_house_is_counted_as_it_is_cut(write, wiki, author):
    write("Kurz", "Text")
    create_page(wiki, title="Lang", body="wort " * 4000, author=author)
    make_stale()
    assert count_outgoing() == (2, len("Kurz\nText") + 8000)


@pytest.mark.django_db(transaction=True)
def test_however_many_start_exactly_one_works(author_of_threads, provider):
    wiki, author = author_of_threads
    for number in range(30):
        create_page(wiki, title=f"Seite {number}", body="Text", author=author)
    make_stale()

    def start(_):
        try:
            return work_off()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(start, range(8)))
    assert sorted(provider.embedded) == sorted(f"Seite {number}" for number in range(30))


@pytest.mark.django_db(transaction=True)
def test_while_one_works_another_is_sent_away():
    with only_one(REEMBEDDING) as is_mine, only_one(REEMBEDDING) as is_theirs:
        assert (is_mine, is_theirs) == (True, False)
    with only_one(REEMBEDDING) as is_mine:
        assert is_mine


# -- the canary


def test_the_canary_is_quiet_while_the_model_is_the_same(db):
    check_canary()
    assert check_canary().similarity == pytest.approx(1)
    assert find_changed_model() is None


def test_another_model_behind_the_address_is_noticed_and_everything_can_be_embedded_anew(
    write, provider, caplog
):
    write("Seite")
    canary = check_canary()
    Canary.objects.update(embedding=[*canary.embedding[1:], canary.embedding[0]])
    check_canary()
    check_canary()
    assert [record.levelname for record in caplog.records].count("ERROR") == 1
    assert any(warning.id == "canary" for warning in find_warnings())
    assert reindex.embed_everything_anew() == 1
    work_off()
    assert provider.embedded == ["Seite"]
    check_canary()
    assert find_changed_model() is None


def test_after_a_switch_to_a_model_of_the_same_size_old_vectors_are_out_until_embedded(
    write, wiki, provider
):
    write("Seite", "Pipeline rot")
    make_stale()
    assert recall(wiki, "Pipeline rot").hits == []
    assert (measure_progress().done, measure_progress().total) == (0, 1)
    work_off()
    assert [hit.page.title for hit in recall(wiki, "Pipeline rot").hits] == ["Seite"]
    assert (measure_progress().done, measure_progress().total) == (1, 1)


def test_a_page_trashed_before_a_switch_is_found_again_once_it_is_restored(write, wiki, author):
    page = trash_page(write("Seite", "Pipeline rot"), author=author)
    Page.objects.update(embed_model=OLD, embedding=[1.0] + [0.0] * 255)
    restore_page(page, author=author)
    [hit] = recall(wiki, "Pipeline rot").hits
    assert (hit.page.title, hit.page.embed_model) == ("Seite", ACTIVE)
