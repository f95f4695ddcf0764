"""gunicorn's threaded worker, which gives a request to a thread once all of it has arrived.

Else a few clients that send a byte now and then would hold every thread: gunicorn limits neither
how long a head or a body takes, nor, where a line may be longer than 8,190 bytes, its length.
"""

import errno
import re
import selectors
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from django.conf import settings
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker

# Bytes of the request line: a query of 8,000 letters of three bytes each, percent-encoded, fits in.
MAX_LINE = 128 * 1024
# Bytes of line and headers.
MAX_HEAD = MAX_LINE + 64 * 1024
# Seconds from the first byte to the end of the head.
HEAD_SECONDS = 10.0
# Bytes a second that a body has to come with, beside those seconds.
BODY_RATE = 16 * 1024
# Bytes that all unfinished requests of a process may have together.
MAX_ARRIVING = 64 * 1024 * 1024
# Seconds in which a client takes an answer, or the next piece of a file.
SEND_SECONDS = 20.0
# Seconds in which a client closes an answered connection, and how many may take them.
LINGER_SECONDS = 2.0
MAX_LINGERING = 500
_CHUNK = 64 * 1024

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n", re.IGNORECASE)
_EXPECTS = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*(?=\r\n)", re.IGNORECASE)
_IN_CHUNKS = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)


class Refused(Exception):
    """The argument is the status that the client gets, such as "414 URI Too Long"."""


class Arriving(TConn):
    """A connection, with what has arrived of its next request."""

    # What takes an answered connection until the client closes it.
    linger: Callable[["Arriving"], None]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.expect_request()

    def expect_request(self) -> None:
        self.arrived = bytearray()
        self.needed = 0
        # Whether no thread will have to wait for the rest.
        self.is_whole = True
        self.since = time.monotonic()
        self.timeout: float = self.since + self.cfg.keepalive

    def take(self, data: bytes) -> bool:
        """Add what came, and return whether the request can be handled. Raises Refused."""
        if not self.arrived:
            self.timeout = time.monotonic() + HEAD_SECONDS
        searched = max(len(self.arrived) - 3, 0)
        self.arrived += data
        if not self.needed:
            end = self.arrived.find(b"\r\n\r\n", searched)
            self._check_line()
            if end < 0 and len(self.arrived) <= MAX_HEAD:
                # The parser refuses such a line at once.
                return self._has_bare_line_feed()
            if end < 0 or end > MAX_HEAD:
                raise Refused("431 Request Header Fields Too Large")
            self._read_head(end + 4)
        return len(self.arrived) >= self.needed

    def _check_line(self) -> None:
        line = self.arrived.find(b"\n", 0, MAX_LINE + 2)
        if line < 0 and len(self.arrived) >= MAX_LINE + 2:
            raise Refused("414 URI Too Long")

    def _has_bare_line_feed(self) -> bool:
        line = self.arrived.find(b"\n", 0, MAX_LINE + 2)
        return line >= 0 and self.arrived[max(line - 1, 0) : line] != b"\r"

    def _read_head(self, end: int) -> None:
        head = bytes(self.arrived[:end])
        length = _LENGTH.search(head)
        body = int(length[1]) if length else 0
        # Covey answers without reading what comes in chunks or is too long for it.
        self.is_whole = not _IN_CHUNKS.search(head) and body <= _max_body()
        self.needed = end + (body if self.is_whole else 0)
        self.timeout += body / BODY_RATE
        if len(self.arrived) < self.needed and _EXPECTS.search(head):
            head = _EXPECTS.sub(b"", head, count=1)
            self.needed -= end - len(head)
            self.arrived[:end] = head
            self.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def init(self) -> None:
        """Let the parser begin with what has arrived."""
        super().init()
        self.parser.unreader.unread(bytes(self.arrived))
        self.arrived = bytearray()

    def close(self, graceful: bool = False) -> None:
        if not graceful:
            super().close()
            return
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
        self.linger(self)


def _max_body() -> int:
    return int(settings.FILE_UPLOAD_MAX_MEMORY_SIZE)


class WholeRequestWorker(ThreadWorker):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arriving: set[Arriving] = set()
        self.lingering: set[Arriving] = set()

    def accept(self, listener: socket.socket) -> None:
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        self.nr_conns += 1
        conn = Arriving(self.cfg, client, address, listener.getsockname())
        conn.linger = self.linger
        self._await_request(conn)

    def on_client_socket_readable(self, conn: Arriving, client: socket.socket) -> None:
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        conn.expect_request()
        self._await_request(conn)

    def _await_request(self, conn: Arriving) -> None:
        conn.sock.setblocking(False)
        self.arriving.add(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_arrival, conn))

    def _on_arrival(self, conn: Arriving, _client: socket.socket) -> None:
        try:
            data = conn.sock.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(conn, data)
        else:
            self._drop(conn)

    def _take(self, conn: Arriving, data: bytes) -> None:
        try:
            if conn.take(data):
                self._forget(conn)
                conn.data_ready = True
                self.enqueue_req(conn)
        except Refused as refused:
            self._drop(conn, str(refused))
        except OSError:
            self._drop(conn)

    def _forget(self, conn: Arriving) -> None:
        self.arriving.discard(conn)
        self.poller.unregister(conn.sock)

    def _drop(self, conn: Arriving, status: str = "") -> None:
        self._forget(conn)
        self.nr_conns -= 1
        if status:
            with suppress(OSError):
                conn.sock.send(
                    f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode()
                )
        conn.close(graceful=bool(status))

    def murder_pending(self) -> None:
        """Drop the requests that take too long, and the oldest ones where there are too many."""
        super().murder_pending()
        now = time.monotonic()
        for conn in [conn for conn in self.lingering if conn.timeout <= now]:
            self._end_lingering(conn)
        for conn in [conn for conn in self.arriving if conn.timeout <= now]:
            self._drop(conn, "408 Request Timeout" if conn.arrived else "")
        size = sum(len(conn.arrived) for conn in self.arriving)
        for conn in sorted(self.arriving, key=lambda conn: conn.since):
            if size <= MAX_ARRIVING and self.nr_conns < self.worker_connections:
                break
            size -= len(conn.arrived)
            self._drop(conn, "408 Request Timeout" if conn.arrived else "")

    def _cap_keepalive(self, deadline: float) -> None:
        super()._cap_keepalive(deadline)
        for conn in self.arriving:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)

    def finish_request(self, conn: Arriving, future: Any) -> None:
        """Wait for the rest of a request that came right behind this one, in no thread."""
        rest = conn.parser.unreader.take_buffered() if conn.parser else b""
        super().finish_request(conn, future)
        if rest and conn in self.keepalived_conns:
            self.on_client_socket_readable(conn, conn.sock)
            self._take(conn, rest)

    def linger(self, conn: Arriving) -> None:
        """Read on until the client has closed too, so that it gets the whole answer; gunicorn
        would do so here with everybody waiting."""
        if len(self.lingering) >= MAX_LINGERING:
            conn.close()
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self.lingering.add(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_lingering, conn))

    def _on_lingering(self, conn: Arriving, _client: socket.socket) -> None:
        with suppress(OSError):
            if conn.sock.recv(_CHUNK):
                return
        self._end_lingering(conn)

    def _end_lingering(self, conn: Arriving) -> None:
        self.lingering.discard(conn)
        self.poller.unregister(conn.sock)
        conn.close()

    def handle_request(self, req: Any, conn: Arriving) -> Any:
        # A client that takes nothing must not hold the thread.
        conn.sock.settimeout(SEND_SECONDS)
        try:
            return super().handle_request(req, conn)
        except TimeoutError as error:
            raise StopIteration from error

    def _keepalive_after(self, conn: Arriving, keepalive: bool) -> bool:
        # A thread would wait for the rest of the body.
        return conn.is_whole and bool(super()._keepalive_after(conn, keepalive))
