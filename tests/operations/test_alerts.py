"""The one message that an operator gets when the embedding of pages has given up."""

from collections.abc import Iterator

import pytest

from tests.support.embedding_server import EmbeddingServer, Reply
from wiki.indexing.reindex import resume, work_off
from wiki.models import ReembedRun, RunState
from wiki.operations.alerts import alert_operator

ACTIVE = "builtin:hash:256"


@pytest.fixture
def chat(settings) -> Iterator[EmbeddingServer]:
    """Takes whatever is posted to it."""
    server = EmbeddingServer(lambda request: Reply())
    settings.COVEY_ALERT_URL = f"{server.url}/hook?token=geheim"
    yield server
    server.stop()


def in_trouble(state=RunState.FAILED):
    return ReembedRun.objects.create(
        fingerprint=ACTIVE, state=state, error="Keine Antwort.", remedy="Starte ihn."
    )


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED])
def test_a_run_that_gave_up_is_told_once_with_its_remedy(db, chat, state):
    in_trouble(state)
    alert_operator()
    alert_operator()
    [message] = chat.requests
    assert "Keine Antwort. Starte ihn." in message.body["text"]
    assert ACTIVE in message.body["text"]


def test_new_trouble_after_a_new_start_is_told_again(db, chat):
    run = in_trouble()
    alert_operator()
    resume()
    ReembedRun.objects.filter(pk=run.pk).update(state=RunState.FAILED)
    alert_operator()
    assert len(chat.requests) == 2


def test_trouble_after_a_run_that_had_nothing_left_to_do_is_told_again(db, chat):
    run = in_trouble()
    alert_operator()
    work_off()
    ReembedRun.objects.filter(pk=run.pk).update(state=RunState.FAILED)
    alert_operator()
    assert len(chat.requests) == 2


@pytest.mark.parametrize("state", [RunState.IDLE, RunState.RUNNING, RunState.WAITING])
def test_a_run_that_still_tries_is_no_news(db, chat, state):
    in_trouble(state)
    alert_operator()
    assert chat.requests == []


def test_a_chat_that_refuses_harms_nothing_and_its_address_is_not_logged(db, chat, caplog):
    chat.script = lambda request: Reply(500)
    in_trouble()
    alert_operator()
    assert "COVEY_ALERT_URL could not be told" in caplog.text
    assert "geheim" not in caplog.text


def test_without_an_address_nothing_is_sent(db):
    in_trouble()
    alert_operator()
    assert ReembedRun.objects.get().is_alerted is False
