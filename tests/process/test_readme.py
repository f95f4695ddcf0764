"""What the README says of covey is so, and the documents behind it lead to each other."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import get_commands, load_command_class
from markdown_it import MarkdownIt
from markdown_it.token import Token

from covey.environment import INTERNAL
from tests.support.api_client import API
from wiki.authors import Author
from wiki.editing import create_page
from wiki.mcp.tools import TOOLS
from wiki.models import Agent, Wiki
from wiki.tokens import create_token

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
}
OWN_COMMANDS = {name: app for name, app in get_commands().items() if app in ("covey", "wiki", "embeddings")}


def test_the_documents_name_every_tool() -> None:
    [sentence] = re.findall(r"with the tools (.*?): at", DOCUMENTS["docs/agents.md"], re.DOTALL)
    assert re.findall(r"`(\w+)`", sentence) == list(TOOLS)


def shell_blocks(name: str) -> list[str]:
    """Those that call the API."""
    blocks = re.findall(r"^```sh\n(.*?)\n```$", DOCUMENTS[name], re.DOTALL | re.MULTILINE)
    return [block for block in blocks if "$COVEY_API/" in block and "#!" not in block]


def read_answers(output: str) -> Iterator[Any]:
    while output := output.lstrip():
        answer, end = json.JSONDecoder().raw_decode(output)
        output = output[end:]
        yield answer


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.django_db(transaction=True)
def test_the_first_five_minutes_work_pasted_as_they_are(live_server) -> None:
    wiki = Wiki.objects.create(slug="demo", name="Betrieb")
    agent = Agent.objects.create(name="robin", home_wiki=wiki)
    body = "No space left on device: the nightly backup fails."
    create_page(wiki, title="Nightly backup fails", body=body, author=Author.of_agent(agent))
    _, secret = create_token(agent, wiki)
    lines = [block for name in ("README.md", "docs/agents.md", "docs/embeddings.md") for block in shell_blocks(name)]
    script = f"COVEY_API={live_server.url}{API}\nCOVEY_TOKEN={secret}\n" + "\n".join(lines)
    run = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    recalled, filed, recalled_again, filed_again, marked, asked = read_answers(run.stdout)
    for answer in (recalled, recalled_again):
        assert answer["pages"][0]["title"] == "Nightly backup fails"
    assert (filed["outcome"], filed_again["outcome"]) == ("created", "known")
    assert (marked["useful"], asked["degraded"]) == (True, False)


def tokens_of(name: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(DOCUMENTS[name])


def targets_of(name: str) -> Iterator[str]:
    """Where links and pictures lead."""
    for token in tokens_of(name):
        for child in token.children or ():
            if child.type in ("link_open", "image"):
                yield unquote(str(child.attrGet("href") or child.attrGet("src")))


def anchors_of(name: str) -> set[str]:
    """As forges make them of headings."""
    tokens = tokens_of(name)
    words = [inline.content for opening, inline in zip(tokens, tokens[1:], strict=False) if opening.tag.startswith("h")]
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in words}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_leads_somewhere(name: str) -> None:
    broken = []
    for target in targets_of(name):
        parts = urlsplit(target)
        if parts.scheme:
            continue
        file = (ROOT / name).parent / parts.path if parts.path else ROOT / name
        reached = file.resolve().relative_to(ROOT).as_posix() if file.exists() else ""
        if not reached or (parts.fragment and parts.fragment not in anchors_of(reached)):
            broken.append(target)
    assert broken == []


def test_every_document_and_picture_is_reached_from_the_readme() -> None:
    reached, waiting = set(), ["README.md"]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        targets = [urlsplit(target) for target in targets_of(name)] if name in DOCUMENTS else []
        files = [(ROOT / name).parent / parts.path for parts in targets if parts.path and not parts.scheme]
        waiting += {file.resolve().relative_to(ROOT).as_posix() for file in files} - reached - set(waiting)
    pictures = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/pictures/*.png")}
    assert {*DOCUMENTS, *pictures} - reached == set()


def called_commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands that a document calls or lists in a table, with the options that stand behind them."""
    for called, listed, words in re.findall(r"(?:manage\.py (\w+)|^\| `(\w+))((?: [^`#\n]*)?)", text, re.MULTILINE):
        if called or listed in OWN_COMMANDS:
            yield called or listed, re.findall(r"--[\w-]+", words)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_command_takes_what_is_said_of_it(name: str) -> None:
    for command, options in called_commands(DOCUMENTS[name]):
        assert command in OWN_COMMANDS
        parser = load_command_class(OWN_COMMANDS[command], command).create_parser("manage.py", command)
        assert set(options) <= {word for action in parser._actions for word in action.option_strings}, command


def test_every_command_is_said() -> None:
    running = DOCUMENTS["docs/running.md"]
    assert {name for name in OWN_COMMANDS if f"`{name}" not in running} == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_variable_that_is_named_exists(name: str) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    known = {*re.findall(r"^(COVEY_\w+)=", example, re.MULTILINE), *INTERNAL, "COVEY_THOROUGH"}
    assert set(re.findall(r"\bCOVEY_[A-Z_]+", DOCUMENTS[name])) - known == set()


# The documents name the modules by feature; until these have moved there is nothing to compare.
@pytest.mark.skipif(not (ROOT / "wiki/merging").is_dir(), reason="the modules have not moved yet")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_that_is_named_is_there(name: str) -> None:
    tops = "wiki|embeddings|covey|tests|templates|static|locale|benchmarks|docs"
    named = re.findall(rf"`((?:{tops})/[^`\s]*)`", DOCUMENTS[name])
    named += [f"benchmarks/{module}.py" for module in re.findall(r"\bbenchmarks\.(\w+)", DOCUMENTS[name])]
    assert [path for path in named if not (ROOT / path).exists()] == []
