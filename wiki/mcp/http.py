"""One request of /mcp, from Django to the protocol and back. Loaded by the first such request (see
the package)."""

from collections.abc import MutableMapping
from typing import Any

import anyio
from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from wiki.api.problems import MAX_REQUEST_BYTES
from wiki.mcp.api_client import Caller
from wiki.mcp.server import make_server

Message = MutableMapping[str, Any]


def answer(request: HttpRequest) -> HttpResponse:
    """The protocol's answer to a request with a usable token, origin and size."""
    caller = Caller(
        request.headers["Authorization"],
        request.META.get("REMOTE_ADDR", ""),
        request.headers.get("Accept-Language", ""),
        request.GET.get("wiki", ""),
    )
    start, body = async_to_sync(_exchange)(caller, _scope(request), request.body)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    return HttpResponse(body, status=start["status"], headers=headers)


async def _exchange(caller: Caller, scope: Message, body: bytes) -> tuple[Message, bytes]:
    received = iter([{"type": "http.request", "body": body, "more_body": False}])
    sent: list[Message] = []

    async def receive() -> Message:
        for message in received:
            return message
        # A client that hung up is not waited for: gunicorn finds nobody to give the answer to.
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    manager = StreamableHTTPSessionManager(
        make_server(caller),
        json_response=True,
        stateless=True,
        max_request_body_size=MAX_REQUEST_BYTES,
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return sent[0], b"".join(message.get("body", b"") for message in sent[1:])


def _scope(request: HttpRequest) -> Message:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "root_path": "",
        "query_string": request.META.get("QUERY_STRING", "").encode(),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
            for name, value in request.headers.items()
        ],
        "server": None,
        "client": None,
    }
