"""What the worker does: signs of life, and embedding what is stale (S14)."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_q.models import OrmQ, Schedule

from embeddings.client import EmbeddingError
from wiki import indexing
from wiki.editing import trash_page
from wiki.health import find_warnings, worker_heartbeat_age
from wiki.models import Heartbeat, Page
from wiki.tasks import beat, ensure_schedules, queue_reembed, reembed

OLD = "openai:text-embedding-3-small:256"


def make_stale(**more):
    return Page.objects.filter(**more).update(embed_model=OLD)


def warning_ids():
    return {warning.id for warning in find_warnings()}


def test_the_heartbeat_tells_a_living_worker(db):
    assert worker_heartbeat_age() is None
    assert "worker" in warning_ids()
    beat()
    beat()
    assert worker_heartbeat_age() < timedelta(seconds=30)
    assert "worker" not in warning_ids()
    Heartbeat.objects.update(beaten_at=timezone.now() - timedelta(minutes=3, seconds=5))
    assert "worker" in warning_ids()


def test_schedules_are_made_once(db):
    ensure_schedules()
    ensure_schedules()
    assert sorted(Schedule.objects.values_list("name", flat=True)) == ["beat", "reembed"]


def test_s14_a_packet_embeds_fifty_pages_the_last_changed_first(write):
    for number in range(60):
        write(f"Seite {number}")
    make_stale()
    assert indexing.embed_packet() == 50
    left = Page.objects.filter(embed_model=OLD)
    assert {page.title for page in left} == {f"Seite {number}" for number in range(10)}
    assert indexing.embed_packet() == 10
    assert indexing.embed_packet() == 0


def test_m38_a_start_queues_the_run_only_if_something_is_stale(write):
    write("Seite")
    assert queue_reembed() is False
    make_stale()
    assert "stale" in warning_ids()
    assert queue_reembed() is True
    assert OrmQ.objects.count() == 1
    reembed()
    assert Page.objects.get().embed_model == "builtin:hash:256"
    assert "stale" not in warning_ids()


def test_trashed_and_wordless_pages_stay_out_of_the_run(write, author):
    write("!", "—")
    trash_page(write("Weg"), author=author)
    assert indexing.embed_packet() == 0


def test_an_edit_during_the_run_wins(write, monkeypatch):
    page = write("Seite", "Alt.")
    make_stale()
    embed = indexing.embed_documents

    def edit_meanwhile(documents):
        vectors = embed(documents)
        Page.objects.filter(pk=page.pk).update(text_hash="geändert")
        return vectors

    monkeypatch.setattr(indexing, "embed_documents", edit_meanwhile)
    indexing.embed_packet()
    page.refresh_from_db()
    assert page.embed_model == OLD


def test_reembed_now_embeds_here_and_says_how_many(write):
    write("Eins")
    write("Zwei")
    make_stale()
    out = StringIO()
    call_command("reembed", "--now", stdout=out)
    assert "2 pages embedded" in out.getvalue()
    assert Page.objects.stale("builtin:hash:256").count() == 0
    call_command("reembed", stdout=out)
    assert "Every page is embedded" in out.getvalue()


def test_reembed_without_now_leaves_it_to_the_worker(write):
    write("Eins")
    make_stale()
    call_command("reembed", stdout=StringIO())
    assert OrmQ.objects.count() == 1
    assert Page.objects.get().embed_model == OLD


def test_a_run_that_fails_leaves_everything_as_it_was(write, monkeypatch):
    write("Eins")
    make_stale()

    def away(documents):
        raise EmbeddingError("The service is away.", permanent=False)

    monkeypatch.setattr(indexing, "embed_documents", away)
    with pytest.raises(EmbeddingError):
        reembed()
    assert Page.objects.get().embed_model == OLD
