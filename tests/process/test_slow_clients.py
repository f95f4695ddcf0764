"""Clients that send or take an answer a byte at a time hold no one else up."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from covey.web_worker import MAX_HEAD, MAX_LINE
from tests.support.installation import Installation, installation

# Twice the threads of both processes.
MANY = 16
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
UNFINISHED = {
    "nothing": b"",
    "a line": b"GET /hea",
    "a head": HEAD + b"X-Slow: ",
    "a form": b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nusername=",
    "many bytes of a form": b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nusername=" + b"a" * 200_000,
    "chunks": b"POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    "too much": b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000000\r\n\r\nab",
    "a request that never closes": HEAD + b"Connection: close\r\n\r\n",
    "a request and a half": HEAD + b"\r\n" + HEAD,
}


@pytest.fixture(scope="module")
def covey(prepared: Installation) -> Iterator[Installation]:
    with installation(prepared) as made:
        made.start_up()
        yield made


def _connect(covey: Installation) -> socket.socket:
    url = urlsplit(covey.address())
    return socket.create_connection((url.hostname or "", url.port or 0), timeout=15)


def _ask(covey: Installation, request: bytes) -> bytes:
    """The first line of the answer."""
    with _connect(covey) as client:
        client.sendall(request)
        return client.makefile("rb").readline().strip()


@pytest.mark.parametrize("name", UNFINISHED)
def test_unfinished_requests_hold_nobody_up(covey: Installation, name: str) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(_connect(covey)) for _ in range(MANY)]
        for client in clients:
            client.sendall(UNFINISHED[name])
        for _ in range(5):
            started = time.monotonic()
            assert covey.status("/healthz") == 200
            assert time.monotonic() - started < 2
            for client in clients:
                try:
                    client.sendall(b"a")
                except OSError:
                    continue


def test_a_head_that_does_not_end_is_given_up(covey: Installation) -> None:
    with _connect(covey) as client:
        client.sendall(HEAD)
        ended = threading.Event()

        def drip() -> None:
            while not ended.wait(0.5):
                try:
                    client.sendall(b"X")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            assert client.recv(100).startswith(b"HTTP/1.1 408 ")
        finally:
            ended.set()
            thread.join()


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (
            b"GET /healthz?q=" + b"%E4%B8%AD" * 8_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"200",
        ),
        (b"GET /healthz?" + b"q" * MAX_LINE, b"414"),
        (HEAD + b"X-Long: " + b"q" * (MAX_HEAD + 1), b"431"),
        (b"GET /healthz HTTP/1.1\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
    ],
)
def test_a_long_line_is_refused_before_it_is_read_whole(
    covey: Installation, request_head: bytes, status: bytes
) -> None:
    assert _ask(covey, request_head).split()[1] == status


def test_a_body_in_pieces_arrives_whole(covey: Installation) -> None:
    body = b"username=a&password=" + b"b" * 100_000
    head = (
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    with _connect(covey) as client:
        answer = client.makefile("rb")
        client.sendall(head)
        assert answer.readline() == b"HTTP/1.1 100 Continue\r\n"
        assert answer.readline() == b"\r\n"
        for start in range(0, len(body), 30_000):
            client.sendall(body[start : start + 30_000])
        # Of a form without the cookie.
        assert answer.readline().split()[1] == b"403"


def test_requests_one_behind_the_other_are_all_answered(covey: Installation) -> None:
    with _connect(covey) as client:
        client.sendall((HEAD + b"\r\n") * 2 + HEAD + b"Connection: close\r\n\r\n")
        assert client.makefile("rb").read().count(b"HTTP/1.1 200") == 3
