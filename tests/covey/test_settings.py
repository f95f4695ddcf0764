"""Settings that are read and judged without a process: what is unwise, what the .env file says,
what is documented."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from covey.environment import INTERNAL, Auto, Default, Environment
from embeddings.checks import check_provider

ROOT = Path(__file__).resolve().parents[2]


WARNED = [
    (
        {"COVEY_EMBEDDING_URL": "http://h", "COVEY_EMBEDDING_API_KEY": "k"},
        ["covey.W001", "covey.W002"],
    ),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama"}, []),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "bge-m3"}, ["covey.W004"]),
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "mxbai-embed-large"},
        ["covey.W003"],
    ),
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "nomic-embed-text"},
        ["covey.W003", "covey.W004"],
    ),
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_URL": "http://ollama.example.org"},
        ["covey.W005"],
    ),
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_URL": "https://ollama.example.org"},
        [],
    ),
    ({"COVEY_EMBEDDING_PROVIDER": "openai", "COVEY_EMBEDDING_API_KEY": "k"}, []),
    (
        {
            "COVEY_EMBEDDING_PROVIDER": "openai",
            "COVEY_EMBEDDING_API_KEY": "k",
            "COVEY_EMBEDDING_URL": "https://res.openai.azure.com",
        },
        ["covey.W006"],
    ),
    ({"COVEY_EMBEDDING_PROVIDER": "voyage", "COVEY_EMBEDDING_API_KEY": "k"}, ["covey.I001"]),
    (
        {
            "COVEY_EMBEDDING_PROVIDER": "voyage",
            "COVEY_EMBEDDING_API_KEY": "k",
            "COVEY_EMBEDDING_MODEL": "voyage-4-lite",
        },
        [],
    ),
]


@pytest.fixture(autouse=True)
def environment_comes_back() -> Iterator[None]:
    """What a file sets would reach every process that a later test starts."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.parametrize(("variables", "ids"), WARNED)
def test_what_is_unwise_is_a_warning_with_a_hint_and_no_error(settings, variables, ids):
    for name, value in variables.items():
        setattr(settings, name, value)
    messages = check_provider(None)
    assert [message.id for message in messages] == ids
    assert all(message.hint and not message.is_serious() for message in messages)


def test_checks_never_call_the_network(use):
    server = use("ollama")
    check_provider(None)
    assert server.requests == []


def test_env_file_is_read_and_real_variables_win(tmp_path, monkeypatch):
    file = tmp_path / ".env"
    file.write_text(
        "COVEY_PORT=9001\nCOVEY_BIND='0.0.0.0'  # alle\nSECRET_KEY=geheim#1\n", encoding="utf-8"
    )
    monkeypatch.setenv("COVEY_BIND", "127.0.0.2")
    monkeypatch.delenv("COVEY_PORT", raising=False)
    environment = Environment(file)
    assert environment.whole_number("COVEY_PORT", 1, 0, 65_535, "x") == 9001
    assert environment.text("COVEY_BIND") == "127.0.0.2"


@pytest.mark.parametrize(
    ("value", "expected", "kind"),
    [("", 0.80, Default), ("auto", 0.80, Auto), ("0.80", 0.80, float), ("1", 1.0, float)],
)
def test_a_similarity_says_whether_somebody_has_set_it(monkeypatch, value, expected, kind):
    monkeypatch.setenv("COVEY_APPEND_THRESHOLD", value)
    environment = Environment(Path(os.devnull))
    read = environment.similarity("COVEY_APPEND_THRESHOLD", 0.80, "x")
    assert (read, type(read)) == (expected, kind)
    assert environment.problems == []


def test_what_another_process_would_not_find_in_the_env_file_is_known(tmp_path, monkeypatch):
    env_file = tmp_path / ".env"
    env_file.write_text(
        "COVEY_FROM_FILE=file\nCOVEY_BOTH=file\nCOVEY_SAME=same\n", encoding="utf-8"
    )
    monkeypatch.setenv("COVEY_BOTH", "process")
    # As in a child of a process that has read the file and handed all of it on.
    monkeypatch.setenv("COVEY_SAME", "same")
    monkeypatch.setenv("COVEY_PROCESS", " process ")
    monkeypatch.delenv("COVEY_FROM_FILE", raising=False)
    environment = Environment(env_file)
    for name in ("COVEY_FROM_FILE", "COVEY_BOTH", "COVEY_SAME", "COVEY_PROCESS", "COVEY_UNSET"):
        environment.text(name)
    assert environment.beyond_file() == {"COVEY_BOTH": "process", "COVEY_PROCESS": "process"}


def test_a_broken_env_file_is_a_problem_and_no_traceback(tmp_path):
    file = tmp_path / ".env"
    file.write_bytes(b"COVEY_BIND=\xff\n")
    assert [problem.id for problem in Environment(file).problems] == ["covey.E001"]


def test_every_variable_that_is_read_stands_in_the_example_and_in_the_documents():
    read = set()
    for source in ("settings.py", "environment.py"):
        text = (ROOT / "covey" / source).read_text(encoding="utf-8")
        read |= set(re.findall(r'"(COVEY_[A-Z_]+|DATABASE_URL|SECRET_KEY)"', text))
    read -= set(INTERNAL)
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    running = (ROOT / "docs/running.md").read_text(encoding="utf-8")
    assert {name for name in read if f"{name}=" not in example} == set()
    assert {name for name in read if name not in running} == set()
