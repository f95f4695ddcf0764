"""A local HTTP server that behaves like an embedding service, or misbehaves as a test wants it
to."""

import base64
import json
import os
import socket
import ssl
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

import numpy as np

from embeddings.hash_embedder import hash_text


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return self.body["input"]


@dataclass
class Reply:
    status: int = 200
    json: Any = None
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


# What a script returns: a reply, or a function that treats the connection as it likes.
Script = Callable[[Request], "Reply | Callable[[EmbeddingServer, BaseHTTPRequestHandler], None]"]


def vector_of(text: str, dimensions: int = 768) -> list[float]:
    """A vector in which texts that share words are near, with its meaning in the first 256
    values."""
    head = hash_text(text)
    head = np.ones(256) / 16 if head is None else head
    return [*(float(value) for value in head[:dimensions]), *([0.01] * (dimensions - 256))]


def ollama(request: Request, vectors: Sequence[Any] | None = None) -> Reply:
    rows = [vector_of(text) for text in request.texts] if vectors is None else list(vectors)
    return Reply(json={"model": request.body["model"], "embeddings": rows})


def openai(request: Request, vectors: Sequence[Any] | None = None, **more: Any) -> Reply:
    rows = [vector_of(text) for text in request.texts] if vectors is None else list(vectors)
    data = [
        {"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)
    ]
    return Reply(json={"object": "list", "data": data, "model": request.body["model"], **more})


def any_form(request: Request) -> Reply:
    return ollama(request) if request.path.endswith("/api/embed") else openai(request)


def as_base64(text: str) -> str:
    return base64.b64encode(np.array(vector_of(text), dtype="<f4").tobytes()).decode()


def error(status: int, message: str = "", **headers: str) -> Reply:
    body = {"error": {"message": message, "type": "error", "code": None}}
    return Reply(
        status, body, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def reset(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    """RST instead of an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(handler.connection.detach())
    handler.close_connection = True


def hang_up(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def hang(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    server.released.wait(30)
    handler.close_connection = True


def trickle_headers(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not server.released.wait(0.01):
        handler.wfile.write(b"a")


def trickle_body(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while not server.released.wait(0.01):
        handler.wfile.write(b" ")


def flood(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while not server.released.is_set():
        handler.wfile.write(b"0" * 65_536)


def announce_8_gigabytes(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8589934592\r\n\r\n"
    )
    while not server.released.is_set():
        handler.wfile.write(b"0" * 65_536)


def break_off(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    )
    handler.wfile.write(b'{"embeddings": [[0.1, 0.2')


def chunked(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    """A good answer in pieces, without a length."""
    data = json.dumps(any_form(server.requests[-1]).json).encode()
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    for piece in (data[:10], data[10:], b""):
        handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")


def old_fashioned(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    """A good answer that ends with the connection."""
    handler.close_connection = True
    data = json.dumps(any_form(server.requests[-1]).json).encode()
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + data)


def no_http(server: "EmbeddingServer", handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.9\r\n")


class EmbeddingServer:
    """`script` decides about every request; `requests` are those that came, in order."""

    def __init__(
        self, script: Script = any_form, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        self.script, self.requests = script, []
        self.released, self._lock = Event(), Lock()
        self._connections: set[socket.socket] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                outer._connections.add(self.connection)

            def finish(self) -> None:
                outer._connections.discard(self.connection)
                super().finish()

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, json.loads(content))
                with outer._lock:
                    outer.requests.append(request)
                    reply = outer.script(request)
                try:
                    reply(outer, self) if callable(reply) else self._send(reply)
                except OSError:
                    self.close_connection = True

            def do_GET(self) -> None:
                with outer._lock:
                    outer.requests.append(Request(self.path, {}, {}))
                self._send(Reply(404, {}))

            def _send(self, reply: Reply) -> None:
                data = json.dumps(reply.json).encode() if reply.raw is None else reply.raw
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *values: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def batches(self) -> list[int]:
        return [len(request.texts) for request in self.requests]

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request.texts]

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
