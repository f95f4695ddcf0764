"""The semantic service: an embedding model behind HTTP on loopback, without any storage."""

import json
import logging
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from embeddings.local_server.model import ModelClosed, SemanticModel
from embeddings.local_server.models import DEFAULT, LocalModel
from embeddings.local_server.request_formats import OLLAMA, OPENAI, Dialect, Json, RequestError

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
MAX_BODY = 32 * 1024 * 1024

LISTS: dict[str, Dialect] = {"/api/tags": OLLAMA, "/v1/models": OPENAI}
DIALECTS: dict[str, Dialect] = {"/api/embed": OLLAMA, "/v1/embeddings": OPENAI}


class Handler(BaseHTTPRequestHandler):
    # For keep-alive.
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # Seconds, for a silent client and for an idle connection.
    timeout = 60
    server: "SemanticServer"

    def do_GET(self) -> None:
        path = self._path()
        if path == "/":
            self._send(200, b"The semantic service is running", "text/plain; charset=utf-8")
        elif path in LISTS:
            self._send_json(200, LISTS[path].list_models(self.server.model.local))
        else:
            self._reject_path(path, DIALECTS)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        path = self._path()
        if path not in DIALECTS:
            self._reject_path(path, LISTS)
            return
        dialect, local = DIALECTS[path], self.server.model.local
        try:
            request = dialect.read(local, self._read_body())
            answer = dialect.answer(local, request, self.server.embed(request.texts))
        except RequestError as error:
            self._send_json(error.status, dialect.describe_error(error))
        else:
            self._send_json(200, answer)

    def _path(self) -> str:
        path = urlsplit(self.path).path
        return path.rstrip("/") or "/"

    def _read_body(self) -> Json:
        length = self._length()
        if length is None:
            self.close_connection = True
            raise RequestError(411, "the request needs a Content-Length")
        if length > MAX_BODY:
            self._discard_body()
            raise RequestError(413, f"the request is larger than {MAX_BODY // 1024**2} MiB")
        data = self.rfile.read(length)
        if not data:
            raise RequestError(400, "missing request body")
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            raise RequestError(400, "the request is not valid JSON") from None
        if not isinstance(body, dict):
            raise RequestError(400, "the request is not a JSON object")
        return body

    def _length(self) -> int | None:
        length = self.headers.get("Content-Length", "")
        return int(length[:15]) if length.isascii() and length.isdigit() else None

    def _discard_body(self) -> None:
        """Read the rest, because a client that is cut off while it sends never sees its answer."""
        self.close_connection = True
        rest = min(self._length() or 0, 2 * MAX_BODY)
        while rest > 0 and (chunk := self.rfile.read(min(rest, 65_536))):
            rest -= len(chunk)

    def _reject_path(self, path: str, others: dict[str, Any]) -> None:
        """Answer 405 for a path among `others`, those of the other method; else 404."""
        self._discard_body()
        error = (
            RequestError(405, "method not allowed")
            if path in others or path == "/"
            else RequestError(404, "not found")
        )
        dialect = OPENAI if path.startswith("/v1") else OLLAMA
        self._send_json(error.status, dialect.describe_error(error))

    def _send_json(self, status: int, answer: Json) -> None:
        self._send(status, json.dumps(answer).encode(), "application/json")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Log no request."""


class SemanticServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, local: LocalModel = DEFAULT) -> None:
        """Raises MissingPackage, and OSError for an unusable port."""
        super().__init__((HOST, port), Handler)
        try:
            self.model = SemanticModel(local)
        except BaseException:
            self.server_close()
            raise

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_port}"

    def embed(self, texts: list[str]) -> Any:
        try:
            return self.model.embed(texts)
        except ModelClosed:
            raise RequestError(503, "the service is stopping", "unavailable") from None

    def close(self) -> None:
        self.server_close()
        self.model.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that goes away before its answer is no failure.
        if not isinstance(sys.exc_info()[1], OSError):
            logger.exception("A request failed.")
