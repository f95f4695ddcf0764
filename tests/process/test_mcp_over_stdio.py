"""`manage.py mcp`: the tools over the pipes of a child process, as an agent's client on the same
machine starts it."""

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.installation import Installation, installation
from tests.support.mcp_client import MODES, StdioPeer, text_of

TOKENS = (
    "from wiki.models import ApiToken as T; print('left:', T.objects.usable().count(), 'of', "
    "T.objects.count())"
)
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def covey(prepared: Installation) -> Iterator[Installation]:
    """One that is not running: the process on stdio starts the database by itself."""
    with installation(prepared) as made:
        yield made


def peer_of(covey: Installation, *words: str, mode: str = "auto") -> StdioPeer:
    command = covey.command("mcp", *words)
    return StdioPeer(command, covey.project, covey.environment, covey.folder / "stderr", mode)


def usable_tokens(covey: Installation) -> str:
    assert covey.run("shell", "-v0", "-c", TOKENS) == 0
    return covey.output().rsplit("left: ", 1)[1].split("\n")[0]


@pytest.mark.parametrize("mode", MODES)
def test_an_agent_works_over_stdio_and_its_token_ends_with_it(covey, mode):
    peer = peer_of(covey, "--agent", f"robin-{mode}", mode=mode)

    async def work(client):
        tools = [tool.name for tool in (await client.list_tools()).tools]
        filed = await client.call_tool(
            "file_insight",
            {"text": "Der Spiegel verwirft 日本語 über 64 MiB.", "title": "Übungsspiegel"},
        )
        found = await client.call_tool("recall", {"query": "Spiegel"})
        read = await client.call_tool("read_page", {"slug": "übungsspiegel"})
        refused = await client.call_tool("read_page", {"slug": "nirgends"})
        return tools, client.instructions, filed, found, read, refused

    tools, instructions, filed, found, read, refused = peer.use(work)
    assert len(tools) == 7
    assert "At the start of a task call recall" in instructions
    assert filed.structured_content["outcome"] == "created"
    assert "> Der Spiegel verwirft 日本語 über 64 MiB." in text_of(found)
    assert f"by robin-{mode} (agent)" in text_of(read)
    assert (refused.is_error, "There is no page" in text_of(refused)) == (True, True)
    # Its home wiki was made; nothing else was said, and nothing of it on standard output.
    assert (
        peer.log.read_text() == f"The wiki “robin-{mode}” was made; there is no page in it yet.\n"
    )
    assert usable_tokens(covey).startswith("0 of ")


def test_a_wiki_and_a_scope_can_be_named(covey):
    peer = peer_of(covey, "--agent", "mira", "--wiki", "Betrieb", "--scope", "read")
    result = peer.call("write_page", slug="x", title="x", body="x")
    assert (result.is_error, "scope “write”" in text_of(result)) == (True, True)


@pytest.fixture
def start(covey):
    """Starts it with bare pipes, without a client that knows what it does."""
    started = []

    def begin():
        child = subprocess.Popen(
            covey.command("mcp", "--agent", "robin"),
            cwd=covey.project,
            env=covey.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
        )
        started.append(child)
        return child

    yield begin
    for child in started:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            pipe.close()


def ask(child, content: str) -> None:
    child.stdin.write(f"{content}\n")
    child.stdin.flush()


def answer(child) -> dict:
    return json.loads(child.stdout.readline())


def test_a_broken_line_does_not_end_it_and_the_end_of_input_does(start):
    child = start()
    for line in (
        "kaputt {",
        "",
        "[]",
        '"x"',
        '{"jsonrpc": "2.0", "id": 7}',
        "\udcff\udcfe",
        "x" * 100_000,
    ):
        ask(child, line)
    ask(child, json.dumps(HELLO))
    # Whatever is said about broken lines has no id of ours.
    while (first := answer(child)).get("id") != 1:
        assert "error" in first
    assert first["result"]["serverInfo"]["name"] == "covey"
    ask(child, json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))
    assert len(answer(child)["result"]["tools"]) == 7
    rest, log = child.communicate(timeout=40)
    assert (child.returncode, rest, "Traceback" in log) == (0, "", False)


def test_a_signal_ends_it_cleanly_while_it_waits_for_input(covey, start):
    children = {number: start() for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    for child in children.values():
        ask(child, json.dumps(HELLO))
        assert answer(child)["id"] == 1
    assert usable_tokens(covey).startswith("3 of ")
    for number, child in children.items():
        child.send_signal(number)
        assert child.wait(40) == 0, number
        assert child.stderr.read() == ""
    assert usable_tokens(covey).startswith("0 of ")


def test_a_client_that_is_gone_ends_it(start):
    child = start()
    ask(child, json.dumps(HELLO))
    child.stdout.close()
    child.stdin.close()
    assert child.wait(40) == 0
    assert "Traceback" not in child.stderr.read()


def test_whoever_calls_it_wrongly_is_told_in_one_line(covey):
    assert covey.run("mcp", "--agent", "x" * 101) == 1
    assert "CommandError: An agent's name has 1 to 100 characters." in covey.output()
    assert covey.run("mcp") == 2
    assert "--agent" in covey.output()
