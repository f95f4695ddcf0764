"""/mcp under the real web server: its two processes, their replacement, hasty clients, the end."""

import json
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.support.installation import Installation, installation, wait_for
from tests.support.mcp_client import MODES, McpPeer, text_of

PREPARE = """
from wiki.models import Scope
from wiki.agents.api_tokens import create_token, ensure_agent
agent, wiki, _ = ensure_agent("robin", "ops")
print("token:", create_token(agent, wiki, Scope.WRITE)[1], flush=True)
"""
CALLS, CLIENTS = 8, 8


@dataclass
class Served:
    covey: Installation
    up: subprocess.Popen[bytes]
    token: str

    def peer(self, mode: str = "auto") -> McpPeer:
        return McpPeer(self.covey.address(), self.token, mode)

    def workers(self) -> set[int]:
        """The ids of the processes that answer requests: the children of the web server's first
        one."""
        found = {process.pid: process for process in self.covey.processes("gunicorn")}
        return {pid for pid, process in found.items() if process.ppid() in found}


@pytest.fixture(scope="module")
def served(prepared: Installation) -> Iterator[Served]:
    with installation(prepared) as covey:
        # A process is replaced after a few requests, so that this happens in the midst of the
        # tests.
        up = covey.start_up(GUNICORN_CMD_ARGS="--max-requests 40 --max-requests-jitter 10")
        assert covey.run("shell", "-v0", "-c", PREPARE) == 0, covey.output()
        yield Served(covey, up, covey.output().rsplit("token: ", 1)[1].split()[0])


def work(served: Served, number: int) -> list[str]:
    """What an agent does over one connection; the texts of the answers."""

    async def act(client):
        told = []
        for turn in range(CALLS):
            given = {
                "slug": f"seite-{number}-{turn}",
                "title": f"Seite {number} {turn}",
                "body": f"Pipeline {turn}",
            }
            told.append(text_of(await client.call_tool("write_page", given)))
            told.append(text_of(await client.call_tool("read_page", {"slug": given["slug"]})))
        return told

    return served.peer(MODES[number % 2]).use(act)


def test_eight_clients_at_once_while_processes_are_replaced(served):
    before = served.workers()
    assert len(before) == 2
    with ThreadPoolExecutor(CLIENTS) as pool:
        told = list(pool.map(lambda number: work(served, number), range(CLIENTS)))
    for number, answers in enumerate(told):
        written, read = answers[::2], answers[1::2]
        assert written == [
            f"The page Seite {number} {turn} is at revision 1." for turn in range(CALLS)
        ]
        assert all(answer.endswith(f"> Pipeline {turn}") for turn, answer in enumerate(read))
    after = wait_for(lambda: len(now := served.workers()) == 2 and now, "two processes")
    assert before != after
    assert "Traceback" not in served.covey.output()


def test_a_client_that_hangs_up_takes_nothing_along(served):
    address = urlsplit(served.covey.address())
    given = {
        "name": "file_insight",
        "arguments": {"text": "Der Spiegel steht im Keller.", "title": "Spiegel"},
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {served.token}\r\n"
        f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    for part in (head, head + body[:50], head + body):
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(part)
    # What was sent whole is done.
    wait_for(
        lambda: "Spiegel" in text_of(served.peer().call("list_pages", q="Spiegel")), "the page"
    )
    assert "Traceback" not in served.covey.output()


def test_a_process_that_has_answered_others_loads_the_protocol_with_the_first_request(served):
    with httpx.Client(
        base_url=served.covey.address(), headers={"Authorization": f"Bearer {served.token}"}
    ) as client:
        assert client.get("/api/v1/pages").status_code == 200
        assert client.get("/mcp").status_code == 405
    assert not served.peer().call("list_pages").is_error


def test_the_server_stops_at_once_when_asked(served):
    assert not served.peer().call("list_pages").is_error
    workers = [psutil.Process(pid) for pid in served.workers()]
    served.up.terminate()
    assert served.up.wait(40) == 0
    assert not [process for process in workers if process.is_running()]
    assert "Traceback" not in served.covey.output()
