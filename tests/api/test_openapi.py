"""/api/v1/openapi.json is enough to work from, and it says what the calls do: its fields are
held against answers."""

import json

import pytest
from django.contrib.auth.models import User

from tests.support.api_client import API
from wiki.models import Insight, Page, Redirect, Suggestion
from wiki.pages.author import Author
from wiki.pages.protect import lift_protection, protect_page
from wiki.pages.trash import restore_page, trash_page
from wiki.suggestions.review import accept

PROBLEM = "application/problem+json"
TYPES = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}


@pytest.fixture
def document(client):
    """The description, with the answers that calls share in their places."""
    document = client.get(f"{API}/openapi.json").json()
    shared = document["components"]["responses"]
    for _, call in every_call(document):
        for status, answer in call["responses"].items():
            call["responses"][status] = (
                shared[answer["$ref"].rsplit("/", 1)[1]] if "$ref" in answer else answer
            )
    return document


def every_call(document):
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            yield f"{method.upper()} {path.removeprefix(API)}", call


class Reader:
    """Holds answers against the document, and keeps which documented fields an answer has had."""

    def __init__(self, document):
        self.document, self.seen = document, set()

    def follow(self, schema):
        [schema] = schema.get("allOf", [schema])
        if "$ref" in schema:
            return self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def read(self, call, template, answer):
        status = str(answer.status_code)
        documented = dict(every_call(self.document))[f"{call} {template}"]["responses"]
        assert status in documented, f"{call} {template} answers {status}: {answer.content[:300]}"
        content = documented[status].get("content")
        if content is None:
            assert answer.content == b""
            return
        body = content[answer["Content-Type"]]
        self.hold(
            body["schema"], answer.json(), f"{call} {template} {'ok' if status < '400' else status}"
        )

    def hold(self, schema, value, where):
        schema = self.follow(schema)
        if "anyOf" in schema:
            others = [part for part in schema["anyOf"] if part.get("type") != "null"]
            if value is None:
                assert len(others) < len(schema["anyOf"]), f"{where} is null"
                return
            [schema] = [self.follow(part) for part in others]
        assert isinstance(value, TYPES[schema["type"]]), f"{where}: {value!r}"
        if "enum" in schema:
            assert value in schema["enum"], where
        if "properties" in schema:
            names = set(value)
            assert names <= set(schema["properties"]), f"{where}: an undocumented field"
            assert set(schema.get("required", ())) <= names, f"{where}: a field is missing"
            for name, part in value.items():
                self.seen.add(f"{where} .{name}")
                self.hold(schema["properties"][name], part, f"{where} .{name}")
        for item in value if isinstance(value, list) else ():
            self.hold(schema["items"], item, f"{where} []")

    def documented(self):
        """Every field of every answer that is no error."""
        for name, call in every_call(self.document):
            for status, answer in call["responses"].items():
                if status < "400" and "content" in answer:
                    yield from self.fields(
                        answer["content"]["application/json"]["schema"], f"{name} ok"
                    )

    def fields(self, schema, where):
        schema = self.follow(schema)
        for part in schema.get("anyOf", ()):
            yield from self.fields(part, where)
        if "items" in schema:
            yield from self.fields(schema["items"], f"{where} []")
        for name, part in schema.get("properties", {}).items():
            yield f"{where} .{name}"
            yield from self.fields(part, f"{where} .{name}")


def test_documented_fields_are_those_of_real_answers(api, document, wiki, agent):
    reader = Reader(document)

    def call(method, template, path="", body=None, status=200, raw=None):
        answer = api.call(method, path or template, body, raw=raw)
        assert answer.status_code == status, answer.content
        reader.read(method, template, answer)
        return answer.json() if answer.content else None

    def put(body, status=200, raw=None):
        return call("PUT", "/pages/{slug}", "/pages/pipeline-rot", body, status, raw)

    put(
        {
            "title": "Pipeline rot",
            "body": "Die Pipeline ist rot: [[Joblog]] ansehen.",
            "tags": ["ci"],
        },
        201,
    )
    put({"title": "Pipeline rot", "body": "x"}, 428)
    put({"title": "Pipeline rot", "body": "x", "base_revision": 7}, 409)
    put({"title": "Pipeline rot", "body": 7}, 422)
    put(None, 422)
    put(None, 400, raw=b"{")
    put(
        None,
        raw=b'{"title": "Die rote Pipeline", "body": "Die Pipeline\\u0000 ist rot: [[Joblog]]", '
        b'"base_revision": 1}',
    )
    api.put("/pages/joblog", {"title": "Joblog", "body": "Zu [[Pipeline rot]].", "type": "system"})
    put({"title": "Die rote Pipeline", "body": "Die Pipeline ist rot.", "base_revision": 2})
    Redirect.objects.create(wiki=wiki, slug="rote-pipeline", page=Page.objects.get(slug="joblog"))
    call("GET", "/pages/{slug}", "/pages/pipeline-rot")
    call("GET", "/pages/{slug}", "/pages/rote-pipeline")
    call("GET", "/pages/{slug}", "/pages/Die rote Pipeline")
    call("GET", "/pages/{slug}", "/pages/nirgends", status=404)
    call("GET", "/pages")
    call("GET", "/pages", "/pages?type=quatsch", status=422)
    call(
        "POST",
        "/pages/{slug}/append",
        "/pages/pipeline-rot/append",
        raw=b'{"text": "Nach\\u0000trag"}',
    )
    call("POST", "/pages/{slug}/append", "/pages/pipeline-rot/append", {"text": ""}, 422)
    call("POST", "/pages/{slug}/confirm", "/pages/pipeline-rot/confirm")
    call("POST", "/pages/{slug}/mark", "/pages/joblog/mark", {"standing": "outdated"})
    call(
        "POST",
        "/pages/{slug}/mark",
        "/pages/joblog/mark",
        {"standing": "replaced", "replaced_by": "nirgends"},
        422,
    )
    call(
        "POST",
        "/pages/{slug}/mark",
        "/pages/joblog/mark",
        {"standing": "replaced", "replaced_by": "pipeline-rot"},
    )
    call("POST", "/pages/{slug}/confirm", "/pages/joblog/confirm", status=409)
    call("GET", "/pages/{slug}", "/pages/joblog")
    call("GET", "/pages/{slug}/revisions", "/pages/pipeline-rot/revisions")
    call("GET", "/pages/{slug}/revisions/{number}", "/pages/pipeline-rot/revisions/1")
    call("GET", "/pages/{slug}/neighbours", "/pages/pipeline-rot/neighbours")
    call("GET", "/pages/{slug}/neighbours", "/pages/pipeline-rot/neighbours?limit=51", status=422)
    call("POST", "/pages/{slug}/mark", "/pages/pipeline-rot/mark", {"standing": "outdated"})

    asked = call("GET", "/recall", "/recall?q=Die rote Pipeline&task=ticket-17")
    marks = f"/recalls/{asked['id']}/marks"
    call("POST", "/recalls/{id}/marks", marks, {"page": "pipeline-rot", "useful": True})
    call(
        "POST",
        "/recalls/{id}/marks",
        marks,
        raw=b'{"page": "joblog", "useful": false, "query": "Wo\\u0000?"}',
    )
    call("POST", "/recalls/{id}/marks", marks, {"page": "joblog"}, 422)
    call("GET", "/recalls/{id}", f"/recalls/{asked['id']}")
    call("GET", "/recalls/{id}", "/recalls/0", status=404)
    call("GET", "/recall", "/recall?q=Die rote Pipeline")
    call(
        "POST",
        "/recall",
        body={"query": "Die rote Pipeline", "task": "ticket-17", "max_chars": 500},
    )
    waiting = Insight.objects.create(
        wiki=wiki, agent=agent, text="Pipeline wartet.", outcome="pending"
    )
    call("GET", "/recall", "/recall?q=Pipeline rot&min_similarity=0.5&mode=hybrid")
    call("GET", "/recall", "/recall?q=Pipeline&body=none")
    call("GET", "/recall", status=422)
    call("POST", "/recall", body={"query": "Pipeline", "min_similarity": 0.9})
    call("POST", "/recall", body={"query": "Pipeline rot"})
    filed = call(
        "POST", "/insights", body={"text": "Der Proxy verwirft große Antworten."}, status=201
    )
    call("POST", "/insights", raw=b'{"text": "Der Proxy\\u0000 verwirft gro\\u00dfe Antworten."}')
    call("POST", "/insights", body={"text": ""}, status=422)
    call("GET", "/insights/{id}", f"/insights/{filed['id']}")
    call("GET", "/insights/{id}", f"/insights/{waiting.pk}")
    masked = call(
        "POST",
        "/insights",
        body={"text": "Am Spiegel gilt password = hunter2 seit Mai."},
        status=201,
    )
    assert masked["note"] == call("GET", "/insights/{id}", f"/insights/{masked['id']}")["note"]
    call("GET", "/insights/{id}", "/insights/0", status=404)
    call("GET", "/status")

    fenced = protect_page(Page.objects.get(slug="pipeline-rot"), author=Author.maintenance())
    base = {
        "title": "Pipeline",
        "tags": ["ci"],
        "type": "problem",
        "base_revision": fenced.revision,
    }
    held_back = put({**base, "body": "Die Pipeline ist rot. Immer."}, 202)["suggestion"]
    put(None, 202, json.dumps({**base, "body": "\0"}).encode())
    call(
        "POST",
        "/pages/{slug}/append",
        "/pages/pipeline-rot/append",
        {"text": "Vorgeschlagen."},
        202,
    )
    call("GET", "/suggestions/{id}", f"/suggestions/{held_back['id']}")
    call("GET", "/suggestions/{id}", "/suggestions/0", status=404)
    owner = User.objects.create_user("mira")
    accept(Suggestion.objects.get(pk=held_back["id"]), owner, seen=fenced.revision)
    call("GET", "/suggestions/{id}", f"/suggestions/{held_back['id']}")
    call("DELETE", "/suggestions/{id}", f"/suggestions/{held_back['id']}", status=409)
    refused = call("DELETE", "/pages/{slug}", "/pages/pipeline-rot", status=202)["suggestion"]
    call("DELETE", "/suggestions/{id}", f"/suggestions/{refused['id']}")
    waits = call(
        "POST", "/insights", body={"text": "Sie ist immer rot.", "page": "pipeline-rot"}, status=202
    )
    call("GET", "/insights/{id}", f"/insights/{waits['id']}")
    trashed = trash_page(fenced, author=Author.maintenance())
    call("POST", "/pages/{slug}/restore", "/pages/pipeline-rot/restore", status=202)
    restore_page(trashed, author=Author.maintenance())
    lift_protection(fenced, author=Author.maintenance())

    call("DELETE", "/pages/{slug}", "/pages/pipeline-rot?base_revision=1", status=409)
    call("DELETE", "/pages/{slug}", "/pages/pipeline-rot", status=204)
    call("POST", "/pages/{slug}/restore", "/pages/pipeline-rot/restore")
    assert set(reader.documented()) - reader.seen == set()


def test_the_key_of_an_insight_is_named_as_it_is_sent(document):
    [key] = [
        item
        for item in dict(every_call(document))["POST /insights"]["parameters"]
        if item["in"] == "header"
    ]
    assert (key["name"], key["schema"]["maxLength"]) == ("Idempotency-Key", 200)


def test_every_call_lists_the_wiki_and_describes_its_parameters(document):
    for name, call in every_call(document):
        names = [item["name"] for item in call["parameters"]]
        assert "wiki" in names, name
        assert [item["name"] for item in call["parameters"] if not item.get("description")] == [], (
            name
        )
        assert len(names) == len(set(names)), name


def test_the_fields_of_every_request_are_explained(document):
    for name, call in every_call(document):
        if "requestBody" in call:
            schema = Reader(document).follow(
                call["requestBody"]["content"]["application/json"]["schema"]
            )
            assert [
                key for key, field in schema["properties"].items() if not field.get("description")
            ] == [], name


def test_every_call_says_its_statuses_and_what_problems_look_like(document):
    calls = dict(every_call(document))
    for name, call in calls.items():
        expected = {"400", "401", "404", "503"} | (
            {"411", "413", "422"} if "requestBody" in call else set()
        )
        assert expected <= set(call["responses"]), name
        for status, answer in call["responses"].items():
            assert answer["description"]
            media_types = [*answer.get("content", {})]
            assert media_types[:1] == (
                [] if status == "204" else [PROBLEM if status >= "400" else "application/json"]
            ), name
    assert {"200", "201", "202", "403"} <= set(calls["POST /insights"]["responses"])
    assert {"200", "201", "403", "409", "428"} <= set(calls["PUT /pages/{slug}"]["responses"])
    assert "200" not in calls["DELETE /pages/{slug}"]["responses"]


def test_what_a_field_may_be_is_listed(document):
    recall = {
        item["name"]: item["schema"]
        for item in dict(every_call(document))["GET /recall"]["parameters"]
    }
    schemas = document["components"]["schemas"]
    assert recall["mode"]["enum"] == ["vector", "keyword", "hybrid"]
    assert recall["body"]["enum"] == ["full", "none"]
    assert recall["index"]["enum"] == ["recent", "all", "none"]
    assert (
        recall["mode"]["default"]
        == schemas["RecallRequest"]["properties"]["mode"]["default"]
        == "hybrid"
    )
    assert schemas["PageAnswer"]["properties"]["type"]["enum"] == [
        "customer",
        "project",
        "system",
        "person",
        "problem",
        "topic",
        "",
    ]
    assert schemas["RecalledPage"]["properties"]["standing"]["enum"] == ["", "outdated", "replaced"]
    assert "problem" in schemas["InsightRequest"]["properties"]["type"]["examples"]


def test_a_reader_is_refused_as_documented(reader, document):
    writes = [
        ("PUT", "/pages/{slug}", {"title": "x", "body": "y"}),
        ("POST", "/pages/{slug}/append", {"text": "x"}),
        ("DELETE", "/pages/{slug}", None),
        ("POST", "/pages/{slug}/restore", None),
        ("POST", "/pages/{slug}/confirm", None),
        ("POST", "/pages/{slug}/mark", {"standing": "outdated"}),
        ("POST", "/insights", {"text": "x"}),
        ("DELETE", "/suggestions/{id}", None),
        ("POST", "/recalls/{id}/marks", {"page": "x", "useful": True}),
    ]
    for method, template, body in writes:
        answer = reader.call(method, template.format(slug="x", id=1), body)
        assert answer.status_code == 403
        Reader(document).read(method, template, answer)
