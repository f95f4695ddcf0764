"""What is pasted works: the Python, the curl and the hook of docs/agents.md are run here."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.api_client import API
from tests.support.writing import create_page
from wiki.agents.api_tokens import create_token
from wiki.agents.setup_snippets import ADDRESS, TOKEN, read_snippet
from wiki.models import Agent, Insight, Scope, Wiki
from wiki.pages.author import Author

ROOT = Path(__file__).resolve().parents[2]


DOCS = (ROOT / "docs/agents.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)\n```$", DOCS, re.DOTALL | re.MULTILINE)


@pytest.mark.django_db(transaction=True)
def test_the_python_of_the_docs_runs(live_server) -> None:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    _, secret = create_token(Agent.objects.create(name="robin", home_wiki=wiki), wiki)
    [source] = blocks("python")
    environment = {"COVEY_API": f"{live_server.url}{API}", "COVEY_TOKEN": secret, "PATH": ""}
    for outcome in ("created", "created"):
        run = subprocess.run(
            [sys.executable, "-c", source],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.splitlines()[-1].startswith(outcome)
    assert run.stdout.count("The package mirror drops answers above 64 MiB.") >= 1
    insight = Insight.objects.get()
    assert (insight.source, insight.task) == ("ticket-17", "Repair the nightly build")


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.django_db(transaction=True)
def test_the_lines_of_curl_work_pasted_as_they_are(live_server) -> None:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    agent = Agent.objects.create(name="robin", home_wiki=wiki)
    text = "The nightly backup fails for want of space."
    create_page(
        wiki,
        title="Nightly backup fails",
        body=f"{text}\n\nA “quote” and a \\n.",
        author=Author.of_agent(agent),
    )
    _, secret = create_token(agent, wiki, Scope.FILE)
    script = f"{read_snippet('environment.sh')}\n{read_snippet('curl.sh')}".replace(
        ADDRESS, live_server.url
    )
    run = subprocess.run(
        ["sh", "-euc", script.replace(TOKEN, secret)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    recalled, filed, marked = map(json.loads, run.stdout.replace("}{", "}\n{").splitlines())
    assert (recalled["pages"][0]["body"][: len(text)], filed["outcome"], marked["useful"]) == (
        text,
        "created",
        True,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_the_hook_is_a_script_that_a_shell_can_read() -> None:
    run = subprocess.run(
        ["sh", "-n"], input=read_snippet("hook.sh"), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("jq"), reason="needs curl and jq")
@pytest.mark.django_db(transaction=True)
def test_the_hook_prints_what_the_wiki_knows_and_never_stops_an_agent(live_server) -> None:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    agent = Agent.objects.create(name="robin", home_wiki=wiki)
    create_page(
        wiki, title="Runner", body="Der Runner braucht zwei Kerne.", author=Author.of_agent(agent)
    )
    _, secret = create_token(agent, wiki)
    environment = {**os.environ, "COVEY_API": f"{live_server.url}{API}", "COVEY_TOKEN": secret}

    def start(*arguments: str, said: str = "", **changed: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", "-c", read_snippet("hook.sh"), "hook", *arguments]
        return subprocess.run(
            command,
            input=said,
            env={**environment, **changed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )

    asked = [
        "Was braucht der Runner?",
        '{"prompt": "Was braucht der Runner?"}',
        "{kein Objekt: Runner",
    ]
    for answer in (start(asked[0]), start(said=asked[0]), start(said=asked[1])):
        assert "Der Runner braucht zwei Kerne." in answer.stdout
    for answer in (start(said=asked[2]), start(asked[0], COVEY_TOKEN="covey_falsch")):
        assert (answer.returncode, answer.stdout) == (0, "")
    assert start(asked[0], COVEY_API="http://127.0.0.1:9").returncode == 0
