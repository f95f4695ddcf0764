"""Calls as agents make them, for the examples in the description of the API: one of each with a
good answer, and one for each problem. What differs from run to run (ids, times) is made the same.

A new call of the API wants a line in `play`; `make openapi` records it.
"""

import re
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlencode

from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import override_settings

from embeddings.client import EmbeddingError
from tests.support.api_client import ApiClient
from wiki.agents.api_tokens import create_token
from wiki.models import Agent, Page, Scope, Suggestion, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page
from wiki.pages.status import mark_replaced
from wiki.suggestions.review import accept

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
AN_ID = 41


class Recorder:
    """Calls, and keeps what was asked and answered in the form of wiki/api/examples.json."""

    def __init__(self, token: str) -> None:
        self.api, self.calls, self.problems = ApiClient(token), {}, {}
        self.names: dict[object, object] = {}

    def call(
        self, name: str, body: Any = None, status: int = 200, headers: Any = None, **parameters: Any
    ) -> Any:
        """Of several calls of one name the first good request is kept, and the first answer of
        each status."""
        answer = self._send(name, parameters, body, headers)
        assert answer.status_code == status, (
            f"{name} answers {answer.status_code}: {answer.content!r}"
        )
        kept = self.calls.setdefault(name, {})
        if status < 400 and "parameters" not in kept:
            kept |= {
                "parameters": self.steady({**parameters, **(headers or {})}),
                **({"body": body} if body is not None else {}),
            }
        content = answer.json() if answer.content else None
        kept.setdefault("answers", {}).setdefault(str(status), self.steady(content))
        return content

    def in_markdown(self, name: str, **parameters: Any) -> None:
        """What a call answers that was asked for Markdown."""
        answer = self._send(name, parameters, None, {"Accept": "text/markdown"})
        assert answer.status_code == 200, answer.content
        text = answer.content.decode()
        self.calls[name]["markdown"] = UUID.sub(lambda match: str(self.steady(match[0])), text)

    def refused(
        self, status: int, name: str, body: Any = None, *, raw: bytes | None = None, **more: Any
    ) -> None:
        """A problem that any call may answer."""
        headers = more.pop("headers", {})
        answer = self._send(name, more, body, headers, raw)
        assert answer.status_code == status, (
            f"{name} answers {answer.status_code}: {answer.content!r}"
        )
        self.problems[str(status)] = self.steady(answer.json())

    def _send(
        self, name: str, parameters: Any, body: Any, headers: Any, raw: bytes | None = None
    ) -> Any:
        method, template = name.split(" ")
        path = re.sub(r"\{(\w+)\}", lambda match: quote(str(parameters[match[1]])), template)
        rest = {key: value for key, value in parameters.items() if f"{{{key}}}" not in template}
        address = f"{path}?{urlencode(rest, quote_via=quote)}" if rest else path
        return self.api.call(method, address, body, headers=headers, raw=raw)

    def steady(self, value: Any, key: str = "") -> Any:
        """The value without what differs from run to run."""
        if isinstance(value, dict):
            return {name: self.steady(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self.steady(part, key) for part in value]
        if isinstance(value, float):
            return round(value, 4)
        if key.endswith("_at") and isinstance(value, str):
            return NOW.isoformat()
        if isinstance(value, str) and UUID.fullmatch(value):
            return self.names.setdefault(
                value, f"7d9a6c1e-52f4-4f0b-9c55-3f1f2b8e{len(self.names):04d}"
            )
        if isinstance(value, str) and "suggestions/" in value:
            return re.sub(r"(?<=suggestions/)\d+", str(AN_ID), value)
        if key == "id" and isinstance(value, int):
            return AN_ID
        return value


PIPELINE = {
    "title": "What to do when the pipeline is red",
    "body": "Read the [[Job log]] first.\n\nA job that ran out of disk is started again; anything "
    "else is a defect.",
    "type": "problem",
    "tags": ["ci"],
}
JOB_LOG = {
    "title": "Job log",
    "body": "Every job of the pipeline writes one; it is kept for 30 days.",
    "type": "system",
}
INSIGHT = {
    "text": "The proxy drops answers larger than 1 MiB without a word. Ask for them in parts.",
    "title": "Proxy drops large answers",
    "type": "system",
    "task": "The nightly report was empty",
}


def play(wiki: Wiki, agent: Agent) -> Recorder:
    """All calls of the scene, at a time that stands still."""
    with (
        patch("django.utils.timezone.now", lambda: NOW),
        override_settings(COVEY_PUBLIC_URL="https://wiki.example.org"),
    ):
        scene = Recorder(create_token(agent, wiki)[1])
        _write(scene)
        _recall_and_file(scene)
        _read(scene)
        _judge(scene)
        _mark_and_trash(scene, agent)
        _suggest(scene)
        hurried_token = create_token(agent, wiki, requests_per_minute=1)[1]
        _be_refused(scene, create_token(agent, wiki, Scope.READ)[1], hurried_token)
    return scene


def _write(scene: Recorder) -> None:
    scene.call("PUT /pages/{slug}", JOB_LOG, 201, slug="job-log")
    scene.calls.clear()
    scene.call("PUT /pages/{slug}", PIPELINE, 201, slug="pipeline-red")
    revised = {
        **PIPELINE,
        "base_revision": 1,
        "summary": "Whom to ask",
        "body": f"{PIPELINE['body']} Ask in #build.",
    }
    scene.call("PUT /pages/{slug}", revised, slug="pipeline-red")
    scene.call("PUT /pages/{slug}", {**revised, "body": "Read the log."}, 409, slug="pipeline-red")
    scene.call("PUT /pages/{slug}", PIPELINE, 428, slug="pipeline-red")
    added = {
        "text": "Since March the log names the step that failed.",
        "summary": "What changed in March",
    }
    scene.call("POST /pages/{slug}/append", added, slug="job-log")
    scene.call("POST /pages/{slug}/confirm", slug="pipeline-red")


def _recall_and_file(scene: Recorder) -> None:
    query = "the pipeline is red again"
    scene.call("GET /recall", q=query, limit=2)
    scene.in_markdown("GET /recall", q=query, limit=2)
    scene.call(
        "POST /recall",
        {"query": query, "limit": 2, "mode": "hybrid", "body": "none", "index": "none"},
    )
    key = {"Idempotency-Key": "report-2026-03-02"}
    filed = scene.call("POST /insights", INSIGHT, 201, headers=key)
    scene.call("POST /insights", {**INSIGHT, "text": f"{INSIGHT['text']} "}, 200)
    with patch(
        "wiki.indexing.embed.embed_documents",
        side_effect=EmbeddingError("The service is away.", permanent=False),
    ):
        scene.call("POST /insights", {"text": "The build machine 3 has no swap."}, 202)
    scene.call("GET /insights/{id}", id=filed["id"])


def _read(scene: Recorder) -> None:
    scene.call("GET /pages", type="problem")
    scene.call("GET /pages/{slug}", slug="pipeline-red")
    scene.call("GET /pages/{slug}/revisions", slug="pipeline-red")
    scene.call("GET /pages/{slug}/revisions/{number}", slug="pipeline-red", number=1)
    scene.call("GET /pages/{slug}/neighbours", slug="pipeline-red", limit=2)
    scene.call("GET /status")


def _judge(scene: Recorder) -> None:
    asked = scene.call("GET /recall", q="Why did the build stop?", task="ticket-17")["id"]
    scene.call("POST /recalls/{id}/marks", {"page": "pipeline-red", "useful": True}, id=asked)
    scene.call("GET /recalls/{id}", id=asked)


def _suggest(scene: Recorder) -> None:
    page, owner = Page.objects.get(slug="pipeline-red"), User(username="dana")
    owner.save()
    page = protect_page(page, author=Author.person(owner))
    read = {"slug": "pipeline-red"}
    changed = {**PIPELINE, "body": "Read the log.", "base_revision": page.revision}
    suggested = scene.call("PUT /pages/{slug}", changed, 202, **read)["suggestion"]
    added = scene.call(
        "POST /pages/{slug}/append", {"text": "The log is in English."}, 202, **read
    )["suggestion"]
    trashed = scene.call("DELETE /pages/{slug}", status=202, **read)["suggestion"]
    scene.call("GET /suggestions/{id}", id=suggested["id"])
    scene.call("DELETE /suggestions/{id}", id=added["id"])
    accept(Suggestion.objects.get(pk=trashed["id"]), owner, seen=page.revision)
    restored = scene.call("POST /pages/{slug}/restore", status=202, **read)["suggestion"]
    accept(Suggestion.objects.get(pk=restored["id"]), owner, seen=page.revision + 1)


def _mark_and_trash(scene: Recorder, agent: Agent) -> None:
    page, log = (Page.objects.get(slug=slug) for slug in ("pipeline-red", "job-log"))
    mark_replaced(log, page, author=Author.of_agent(agent))
    scene.call(
        "POST /pages/{slug}/mark",
        {"standing": "replaced", "replaced_by": "pipeline-red"},
        slug="job-log",
    )
    scene.call("POST /pages/{slug}/confirm", status=409, slug="job-log")
    scene.call("DELETE /pages/{slug}", status=409, slug="pipeline-red", base_revision=1)
    scene.call("DELETE /pages/{slug}", status=204, slug="pipeline-red", base_revision=2)
    scene.call("POST /pages/{slug}/restore", slug="pipeline-red")


def _be_refused(scene: Recorder, read_token: str, hurried_token: str) -> None:
    write_token = scene.api.token
    scene.refused(400, "POST /recall", raw=b'{"query": "the pipeline')
    scene.refused(404, "GET /pages/{slug}", slug="nowhere")
    scene.refused(409, "PUT /pages/{slug}", {**PIPELINE, "base_revision": 1}, slug="pipeline-red")
    scene.refused(411, "POST /recall", {"query": "x"}, headers={"Transfer-Encoding": "chunked"})
    scene.refused(413, "POST /insights", {"text": "word " * 250_000})
    scene.refused(422, "POST /recall", {"query": "the pipeline", "limit": 500})
    scene.refused(428, "PUT /pages/{slug}", PIPELINE, slug="pipeline-red")
    scene.api.token = read_token
    scene.refused(403, "POST /insights", INSIGHT)
    scene.api.token = hurried_token
    scene.api.call("GET", "/status")
    scene.refused(429, "GET /status")
    scene.api.token = "covey_of-yesterday"
    scene.refused(401, "GET /status")
    scene.api.token = write_token
    with patch("wiki.api.status.count_embeddings", side_effect=OperationalError):
        scene.refused(503, "GET /status")
