"""The official package's client as a real peer of covey, as the tests use it."""

import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import anyio
import httpx2
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

# The latest protocol with a handshake, and the one without.
MODES = ("legacy", "auto")


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def served(db: None) -> Iterator[str]:
    """covey on a real socket, in the transaction of the test: one request after the other, by
    one thread."""

    def serve() -> None:
        connections["default"] = ours
        server.serve_forever(0.01)

    # They would close the connection, since it is in the middle of a transaction.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    ours = connections["default"]
    ours.inc_thread_sharing()
    server = make_server("127.0.0.1", 0, WSGIHandler(), handler_class=_Quiet)
    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
    ours.dec_thread_sharing()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


class McpPeer:
    """Over HTTP. Every use is a connection of its own, as agents have it."""

    def __init__(
        self,
        address: str,
        token: str = "",
        mode: str = "auto",
        headers: dict[str, str] | None = None,
        query: str = "",
    ) -> None:
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        self.address, self.mode, self.query = address, mode, query
        self.headers = {**authorization, **(headers or {})}

    def use(self, act: Callable[[Client], Awaitable[Any]]) -> Any:
        async def connect() -> Any:
            async with httpx2.AsyncClient(headers=self.headers, timeout=60) as http:
                transport = streamable_http_client(
                    f"{self.address}/mcp{self.query}", http_client=http
                )
                async with Client(transport, mode=self.mode) as client:
                    return await act(client)

        return anyio.run(connect)

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.use(lambda client: client.call_tool(tool, arguments))


class StdioPeer(McpPeer):
    """Over the pipes of a child process; its log is left in a file."""

    def __init__(
        self, command: list[str], folder: Path, environment: dict[str, str], log: Path, mode: str
    ) -> None:
        self.mode, self.log = mode, log
        self.parameters = StdioServerParameters(
            command=command[0], args=command[1:], cwd=folder, env={**os.environ, **environment}
        )

    def use(self, act: Callable[[Client], Awaitable[Any]]) -> Any:
        async def connect() -> Any:
            with self.log.open("w") as log:
                async with Client(
                    stdio_client(self.parameters, errlog=log), mode=self.mode
                ) as client:
                    return await act(client)

        return anyio.run(connect)


def text_of(result: Any) -> str:
    [content] = result.content
    return str(content.text)
