"""What the documents say is there: links, paths, commands, options, variables, tools."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import get_commands, load_command_class
from markdown_it import MarkdownIt
from markdown_it.token import Token

from covey.environment import INTERNAL
from tests.support.documents import DOCUMENTS, ROOT
from wiki.mcp.tools import TOOLS

OWN_COMMANDS = {
    name: app for name, app in get_commands().items() if app in ("covey", "wiki", "embeddings")
}


def test_the_documents_name_every_tool() -> None:
    [sentence] = re.findall(r"with the tools (.*?): at", DOCUMENTS["docs/agents.md"], re.DOTALL)
    assert re.findall(r"`(\w+)`", sentence) == list(TOOLS)


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
    words = [
        inline.content
        for opening, inline in zip(tokens, tokens[1:], strict=False)
        if opening.tag.startswith("h")
    ]
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
        files = [
            (ROOT / name).parent / parts.path
            for parts in targets
            if parts.path and not parts.scheme
        ]
        waiting += (
            {file.resolve().relative_to(ROOT).as_posix() for file in files} - reached - set(waiting)
        )
    pictures = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/pictures/*.png")}
    assert {*DOCUMENTS, *pictures} - reached == set()


def called_commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands that a document calls or lists in a table, with the options that stand behind
    them."""
    for called, listed, words in re.findall(
        r"(?:manage\.py (\w+)|^\| `(\w+))((?: [^`#\n]*)?)", text, re.MULTILINE
    ):
        if called or listed in OWN_COMMANDS:
            yield called or listed, re.findall(r"--[\w-]+", words)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_command_takes_what_is_said_of_it(name: str) -> None:
    for command, options in called_commands(DOCUMENTS[name]):
        assert command in OWN_COMMANDS
        parser = load_command_class(OWN_COMMANDS[command], command).create_parser(
            "manage.py", command
        )
        assert set(options) <= {
            word for action in parser._actions for word in action.option_strings
        }, command


def test_every_command_is_said() -> None:
    running = DOCUMENTS["docs/running.md"]
    assert {name for name in OWN_COMMANDS if f"`{name}" not in running} == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_variable_that_is_named_exists(name: str) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    known = {*re.findall(r"^(COVEY_\w+)=", example, re.MULTILINE), *INTERNAL, "COVEY_THOROUGH"}
    assert set(re.findall(r"\bCOVEY_[A-Z_]+", DOCUMENTS[name])) - known == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_that_is_named_is_there(name: str) -> None:
    tops = "wiki|embeddings|covey|tests|templates|static|locale|benchmarks|docs"
    named = re.findall(rf"`((?:{tops})/[^`\s]*)`", DOCUMENTS[name])
    named += [
        f"benchmarks/{module}.py" for module in re.findall(r"\bbenchmarks\.(\w+)", DOCUMENTS[name])
    ]
    assert [path for path in named if not (ROOT / path).exists()] == []
