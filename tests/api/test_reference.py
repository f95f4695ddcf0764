"""/api/v1/docs: the calls for people."""

import html
import re

import pytest

from tests.support.api_client import API
from wiki.api.main import api as described
from wiki.api.reference import read_reference

DOCS = f"{API}/docs"


@pytest.fixture
def page(client, db):
    answer = client.get(DOCS)
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(page):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())


def every_call():
    for path, methods in described.get_openapi_schema()["paths"].items():
        for method, call in methods.items():
            yield method.upper(), path, call


def test_anybody_may_read_every_call_with_its_parameters_and_fields(page):
    shown = text_of(page)
    for method, path, call in every_call():
        assert f"{method} {path}" in shown
        assert f'id="{call["operationId"]}"' in page
        assert f'href="#{call["operationId"]}"' in page
        for parameter in call["parameters"]:
            assert parameter["name"] in shown
    for name, shape in described.get_openapi_schema()["components"]["schemas"].items():
        for field, part in shape["properties"].items():
            assert field in shown, name
            assert part.get("description", "").replace("`", "") in shown, (name, field)


def test_the_menu_and_what_is_not_of_the_document_are_in_the_readers_language(client, db):
    german = client.get(DOCS, headers={"Accept-Language": "de"}).content.decode()
    assert re.findall(r"<h2>([^<]+)</h2>\n    <ul>", german) == [
        "Gedächtnis", "Seiten", "Abrufe", "Vorschläge", "Fehler",
    ]  # fmt: skip


def test_every_answer_has_its_example_and_every_error_a_place(page):
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    shown = text_of(page)
    for _, _, call in every_call():
        for status, answer in call["responses"].items():
            assert f"{status} " in shown
            if "$ref" in answer:
                assert f"error-{status}" in anchors
    assert "This token may recall and read." in shown
    assert '"similarity": 0.3937' in shown


def test_an_example_can_be_sent_as_it_stands(page, settings):
    shown = text_of(page)
    address = f"{settings.COVEY_PUBLIC_URL}{API}"
    assert f"curl '{address}/recall?limit=2&q=the+pipeline+is+red+again'" in shown
    assert f"curl -X PUT {address}/pages/pipeline-red" in shown
    assert "-H 'Idempotency-Key: report-2026-03-02'" in shown
    assert '-H "Authorization: Bearer $TOKEN"' in shown


def test_what_the_description_says_is_never_markup():
    document = {
        "info": {"description": ""},
        "components": {"responses": {}, "schemas": {}},
        "paths": {
            "/x": {
                "post": {
                    "operationId": "x",
                    "summary": "",
                    "parameters": [],
                    "requestBody": {
                        "content": {
                            "application/json": {
                                "schema": {"type": "object"},
                                "example": {"a": "<script>'$(id)'</script>"},
                            }
                        }
                    },
                    "responses": {
                        "200": {
                            "description": "",
                            "content": {"": {"schema": {}, "example": {"a": "<b>"}}},
                        }
                    },
                }
            }
        },
    }
    [call] = read_reference(document, "https://wiki.example.org").groups["calls"]
    assert "<script" not in call.command
    assert "<b>" not in call.answers[0].example
    # Whoever pastes it runs nothing but curl.
    assert "'\"'\"'$(id)'\"'\"'" in html.unescape(re.sub(r"<[^>]+>", "", call.command))


def test_the_frame_speaks_german_and_the_descriptions_english(client, db):
    page = client.get(DOCS, headers={"accept-language": "de"}).content.decode()
    assert '<html lang="de">' in page
    assert '<h3 id="write_page-name" lang="en">Create a page, or give it a new text</h3>' in page


def test_it_asks_the_database_nothing_and_takes_only_get(client, db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.head(DOCS).content == b""
    answer = client.post(DOCS)
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")


def test_every_screen_leads_there(browser, write):
    write("Seite")
    assert f'href="{DOCS}"' in browser.get("/w/ops/seite").content.decode()
