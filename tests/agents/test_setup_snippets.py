"""What is pasted works: the same texts stand on the screen and in docs/agents.md, and both are
run here."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings

from tests.support.api_client import API, ApiClient
from wiki.agents.api_tokens import create_token
from wiki.agents.setup_snippets import (
    ADDRESS,
    LANGUAGES,
    SNIPPETS,
    TOKEN,
    fill_snippet,
    read_instruction,
    read_snippet,
)
from wiki.api.main import api as api_of_covey
from wiki.api.problems import SENTENCES
from wiki.models import Agent, ApiToken, Scope, Wiki

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs/agents.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)\n```$", DOCS, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_docs_say_the_same_as_the_screen(name: str) -> None:
    assert read_snippet(name) in DOCS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_instruction_stands_in_the_docs_and_says_what_matters(language: str) -> None:
    text = read_instruction(language)
    assert text in DOCS
    for word in ("source", "task", "candidates", "known", "noise", "page", "standing", "degraded"):
        assert f"`{word}`" in text
    assert text.count("\n1. ") == 1
    assert text.count("\n7. ") == 1


def token_of(agent: str = "robin", wiki: str = "ops", scope: Scope = Scope.FILE) -> ApiToken:
    return ApiToken(agent=Agent(name=agent), wiki=Wiki(slug=wiki), scope=scope)


def test_nothing_of_the_example_is_left_in_what_is_filled_in() -> None:
    for name in SNIPPETS:
        filled = fill_snippet(name, "https://wiki.example.org", "covey_geheim", token_of('Ro"bin'))
        for placeholder in (ADDRESS, TOKEN, "/path/to"):
            assert placeholder not in filled
        if name.endswith(".json"):
            json.loads(filled)


def test_the_server_over_stdio_is_the_one_of_this_checkout_in_the_wiki_of_the_token() -> None:
    server = json.loads(fill_snippet("mcp-stdio.json", "", "", token_of('Ro"bin', "übung")))[
        "mcpServers"
    ]["covey"]
    assert server["command"] == sys.executable
    assert server["args"] == [
        str(ROOT / "manage.py"), "mcp", "--agent", 'Ro"bin', "--wiki", "übung", "--scope", "file"
    ]  # fmt: skip


def test_the_server_over_stdio_gets_what_covey_was_started_with_but_no_secret(
    settings: LazySettings,
) -> None:
    settings.SETTINGS_BEYOND_FILE = {
        "COVEY_DATA_DIR": "somewhere",
        "COVEY_EMBEDDING_PROVIDER": "ollama",
        "COVEY_EMBEDDING_URL": "https://user:password@embeddings.example.org",
        "COVEY_EMBEDDING_API_KEY": "geheim",
        "DATABASE_URL": "postgres://covey:geheim@127.0.0.1/covey",
    }
    server = json.loads(fill_snippet("mcp-stdio.json", "", "", token_of()))["mcpServers"]["covey"]
    assert server["env"] == {
        "COVEY_DATA_DIR": str(settings.COVEY_DATA_DIR),
        "COVEY_EMBEDDING_PROVIDER": "ollama",
    }


@pytest.mark.parametrize("name", [TOKEN, '"--wiki", "demo"', "/path/to/covey"])
def test_a_name_that_looks_like_a_placeholder_is_left_alone(name: str) -> None:
    filled = json.loads(fill_snippet("mcp-stdio.json", "", "covey_geheim", token_of(name, "robin")))
    assert filled["mcpServers"]["covey"]["args"][1:6] == ["mcp", "--agent", name, "--wiki", "robin"]


class Shell:
    """Reads lines of curl as a shell and curl would, and asks covey for the same."""

    def __init__(self, client: ApiClient, secret: str) -> None:
        self.client = client
        self.known = {
            "COVEY_API": API,
            "COVEY_TOKEN": secret,
            "RECALL": "",
            "task": "the backup fails",
        }

    def run(self, line: str):
        words = shlex.split(
            re.sub(r"\$(\w+)", lambda name: self.known[name[1]], line.removesuffix(" || true"))
        )
        assert words.pop(0) == "curl"
        headers, data, address, in_query = {}, [], "", False
        while words:
            match words.pop(0):
                case "-H":
                    name, _, value = words.pop(0).partition(": ")
                    headers[name] = value
                case "-d" | "--data-urlencode":
                    data.append(words.pop(0))
                case "--max-time":
                    words.pop(0)
                case "-G":
                    in_query = True
                case "-sS" | "-fsS":
                    pass
                case word:
                    assert not address
                    assert word.startswith(API), word
                    address = word
        assert headers["Authorization"] == f"Bearer {self.known['COVEY_TOKEN']}"
        body = None if in_query else "".join(data).encode()
        path = address.removeprefix(API) + (f"?{'&'.join(data)}" if in_query else "")
        return self.client.call("GET" if in_query else "POST", path, raw=body, headers=headers)


def lines_of_curl() -> list[str]:
    lines = (line for block in blocks("sh") for line in block.splitlines())
    return [
        found[1]
        for line in lines
        if (found := re.fullmatch(r"(?:answer=\$\()?(curl .*?)\)?", line))
    ]


def test_each_curl_line_of_the_docs_is_understood(agent: Agent, wiki: Wiki, write) -> None:
    write(
        "Nightly backup fails",
        "The nightly backup fails for want of space.",
        slug="nightly-backup-fails",
    )
    _, secret = create_token(agent, wiki)
    shell = Shell(ApiClient(), secret)
    has_marks = f"{API}/recalls/{{id}}/marks" in api_of_covey.get_openapi_schema()["paths"]
    lines = lines_of_curl()
    assert len(lines) == 4
    for line in lines:
        answer = shell.run(line)
        if "/marks" not in line or has_marks:
            assert answer.status_code in (200, 201), (line, answer.content)
        if (
            "/recall?" in str(answer.request["PATH_INFO"]) + "?"
            and answer["Content-Type"] == "application/json"
        ):
            shell.known["RECALL"] = answer.json()["id"]
            assert answer.json()["pages"][0]["slug"] == "nightly-backup-fails"


def test_the_docs_name_every_status_that_the_api_answers() -> None:
    documented = {int(status) for status in re.findall(r"^\| (\d{3})", DOCS, re.MULTILINE)}
    answered = {
        int(status)
        for methods in api_of_covey.get_openapi_schema()["paths"].values()
        for call in methods.values()
        for status in call["responses"]
    }
    assert {status for status in answered if status >= 400} | set(SENTENCES) <= documented


def test_the_docs_name_the_default_limit(settings: LazySettings) -> None:
    assert f"({settings.COVEY_REQUESTS_PER_MINUTE:,})" in DOCS
