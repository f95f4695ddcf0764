"""The one message that an operator gets when the embedding of pages has given up."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from wiki.alerts import alert_operator
from wiki.models import ReembedRun, RunState
from wiki.reembedding import resume

ACTIVE = "builtin:hash:256"


class Chat(HTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.messages: list[dict[str, str]] = []
        self.status = 204


class Handler(BaseHTTPRequestHandler):
    server: Chat

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.messages.append(json.loads(self.rfile.read(length)))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def chat(settings) -> Iterator[Chat]:
    server = Chat()
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    settings.COVEY_ALERT_URL = f"http://127.0.0.1:{server.server_port}/hook?token=geheim"
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def in_trouble(state=RunState.FAILED):
    return ReembedRun.objects.create(fingerprint=ACTIVE, state=state, error="Keine Antwort.", remedy="Starte ihn.")


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED])
def test_a_run_that_gave_up_is_told_once_with_its_remedy(db, chat, state):
    in_trouble(state)
    alert_operator()
    alert_operator()
    [message] = chat.messages
    assert "Keine Antwort. Starte ihn." in message["text"]
    assert ACTIVE in message["text"]


def test_new_trouble_after_a_new_start_is_told_again(db, chat):
    run = in_trouble()
    alert_operator()
    resume()
    ReembedRun.objects.filter(pk=run.pk).update(state=RunState.FAILED)
    alert_operator()
    assert len(chat.messages) == 2


@pytest.mark.parametrize("state", [RunState.IDLE, RunState.RUNNING, RunState.WAITING])
def test_a_run_that_still_tries_is_no_news(db, chat, state):
    in_trouble(state)
    alert_operator()
    assert chat.messages == []


def test_a_chat_that_refuses_harms_nothing_and_its_address_is_not_logged(db, chat, caplog):
    chat.status = 500
    in_trouble()
    alert_operator()
    assert "COVEY_ALERT_URL could not be told" in caplog.text
    assert "geheim" not in caplog.text


def test_without_an_address_nothing_is_sent(db):
    in_trouble()
    alert_operator()
    assert ReembedRun.objects.get().is_alerted is False
