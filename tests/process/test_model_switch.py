"""A switch of the embedding as an operator lives through it: real processes, a real model, a
kill in the middle."""

import ast
import json
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from threading import Thread

import pytest

from embeddings.local_server.server import SemanticServer
from tests.support.installation import Installation, free_port, installation, wait_for

PAGES = 300
BUILTIN, SEMANTIC = "builtin:hash:256", "ollama:use-multilingual-3:256"


class CountingServer(SemanticServer):
    """The semantic service, which also counts how often it embedded each text."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.counts: Counter[str] = Counter()

    def embed(self, texts: list[str]) -> object:
        self.counts.update(texts)
        return super().embed(texts)


class Agent:
    def __init__(self, covey: Installation, wiki: str) -> None:
        made = subprocess.run(
            [*covey.command("create_token", "robin", "--wiki", wiki)],
            env=covey.environment,
            cwd=covey.project,
            capture_output=True,
            text=True,
            check=True,
        )
        self.covey, self.token = covey, made.stdout.strip()

    def call(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        request = urllib.request.Request(
            f"{self.covey.address()}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())

    def status(self) -> dict:
        return self.call("GET", "/status")[1]


@pytest.fixture
def covey(prepared: Installation) -> Iterator[Installation]:
    with installation(prepared) as made:
        folder = made.folder / "pages"
        folder.mkdir()
        for number in range(PAGES):
            (folder / f"seite-{number}.md").write_text(
                f"# Seite {number}\n\nRechnung {number} geht an Abteilung {number * 7}. "
                + "Der Betrieb läuft. " * 20
            )
        assert made.run("import_pages", str(folder), "--wiki", "ops") == 0, made.output()
        made.environment["TESTS_WAIT_SHORTLY"] = "1"
        yield made


def check_memory(agent: Agent, number: int) -> None:
    """What must work at every moment: saving, filing, and finding by words."""
    saved, page = agent.call(
        "PUT", f"/pages/notiz-{number}", {"title": f"Notiz {number}", "body": f"Merksatz {number}"}
    )
    assert saved == 201
    filed, insight = agent.call(
        "POST", "/insights", {"text": f"Die Schleuse Nummer {number} öffnet um fünf Uhr."}
    )
    assert filed in (200, 201, 202), insight
    for mode in ("keyword", "hybrid"):
        recalled = agent.call("GET", f"/recall?mode={mode}&q=Merksatz%20{number}&index=none")[1]
        assert f"notiz-{number}" in [row["slug"] for row in recalled["pages"]], recalled


def vectors(covey: Installation) -> dict[str, int]:
    """Fingerprints of the live pages with their numbers; a norm other than 1 counts as an error
    of its own."""
    script = (
        "import numpy as np, collections; from wiki.models import Page;"
        "rows = [(p.embed_model, p.embedding) for p in Page.objects.live()];"
        "bad = [m for m, v in rows if v is not None and abs(np.linalg.norm(v) - 1) > 1e-4];"
        "print('VECTORS', dict(collections.Counter(m for m, _ in rows)) | ({'bad': len(bad)} if "
        "bad else {}))"
    )
    done = subprocess.run(
        covey.command("shell", "-v0", "-c", script),
        env=covey.environment,
        cwd=covey.project,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(ast.literal_eval(done.stdout.split("VECTORS", 1)[1].strip()))


def test_the_whole_story_of_a_switch(covey: Installation) -> None:
    assert vectors(covey) == {BUILTIN: PAGES}
    port = free_port()
    covey.environment |= {
        "COVEY_EMBEDDING_PROVIDER": "ollama",
        "COVEY_EMBEDDING_URL": f"http://127.0.0.1:{port}",
        "COVEY_EMBEDDING_MODEL": "use-multilingual-3",
    }
    up = covey.start_up()
    agent = Agent(covey, "ops")

    # The service is not up yet: tries count up, and the memory works meanwhile.
    wait_for(lambda: agent.status()["reembed"]["attempt"] >= 1, "a first try")
    check_memory(agent, 1)
    assert agent.status()["stale"] >= PAGES
    assert agent.call("GET", "/recall?q=Rechnung&index=none")[1]["degraded"] is True
    assert agent.status()["pending_insights"] == 1
    wait_for(lambda: agent.status()["reembed"]["attempt"] >= 2, "a second try", 90)
    assert agent.status()["reembed"]["state"] == "waiting"

    with closing(CountingServer(port)) as service:
        thread = Thread(target=service.serve_forever, args=(0.01,))
        thread.start()
        try:
            # It comes, and the run goes on by itself; in the middle the worker is killed.
            wait_for(lambda: agent.status()["reembed"]["done"] >= 40, "progress", 90)
            for process in covey.processes("qcluster"):
                process.kill()
            check_memory(agent, 2)
            wait_for(lambda: agent.status()["stale"] == 0, "the end of the run", 120)
            wait_for(
                lambda: agent.status()["pending_insights"] == 0, "the filing of what waited", 90
            )
            check_memory(agent, 3)
            assert agent.call("GET", "/recall?q=Rechnung&index=none")[1]["degraded"] is False
            found = vectors(covey)
            assert set(found) == {SEMANTIC}
            # One packet may be lost to a kill; every other page was embedded once.
            pages = {
                text: count for text, count in service.counts.items() if text.startswith("Seite ")
            }
            assert len(pages) == PAGES
            assert sum(pages.values()) <= PAGES + 50
            assert max(pages.values()) <= 2
        finally:
            service.shutdown()
            thread.join()

    # And back.
    up.terminate()
    assert up.wait(40) == 0
    covey.environment |= {
        "COVEY_EMBEDDING_PROVIDER": "builtin",
        "COVEY_EMBEDDING_URL": "",
        "COVEY_EMBEDDING_MODEL": "",
    }
    covey.start_up()
    wait_for(lambda: agent.status()["stale"] == 0, "the way back", 90)
    assert vectors(covey) == {BUILTIN: sum(found.values())}
    check_memory(agent, 4)
