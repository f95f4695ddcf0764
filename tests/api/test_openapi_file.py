"""docs/openapi.json says what the API is now, and every example in it was a real answer and fits
its schema.

After a change of the API `make openapi` (pytest tests/api/test_openapi_file.py --renew) writes both
files anew.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from tests.support.api_client import API
from tests.support.api_scene import play
from wiki.api.examples import EXAMPLES, EXAMPLES_FILE, PROBLEMS
from wiki.api.main import api as described

FILE = Path(__file__).resolve().parents[2] / "docs/openapi.json"
RENEW = "Run `make openapi` and commit what it changes."


def written(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@pytest.fixture(scope="module")
def document() -> Any:
    return json.loads(json.dumps(described.get_openapi_schema()))


def every_part(document: Any) -> Iterator[tuple[str, Any]]:
    """Every body and every answer, with what it is."""
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            name = f"{method.upper()} {path.removeprefix(API)}"
            if "requestBody" in call:
                yield f"{name}: the body", call["requestBody"]
            for status, answer in call["responses"].items():
                yield f"{name}: {status}", answer
    for name, answer in document["components"]["responses"].items():
        yield f"the shared answer {name}", answer


def test_the_examples_are_what_the_calls_answer(wiki, agent, request):
    scene = play(wiki, agent)
    recorded = {"calls": scene.calls, "problems": scene.problems}
    if request.config.getoption("--renew"):
        EXAMPLES_FILE.write_text(written(recorded), encoding="utf-8")
        # What is described from here on.
        EXAMPLES.clear(), PROBLEMS.clear()
        EXAMPLES.update(scene.calls), PROBLEMS.update(scene.problems)
    assert written(recorded) == EXAMPLES_FILE.read_text(encoding="utf-8"), (
        f"The answers have changed. {RENEW}"
    )


def test_the_file_is_what_the_api_says_of_itself(document, request):
    if request.config.getoption("--renew"):
        FILE.write_text(written(document), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == written(document), (
        f"docs/openapi.json is out of date. {RENEW}"
    )


def test_what_is_served_is_the_file(client):
    assert client.get(f"{API}/openapi.json").json() == json.loads(FILE.read_text(encoding="utf-8"))


def test_the_description_is_valid_openapi(document):
    assert [error.message[:200] for error in OPENAPI_31_VALIDATOR.iter_errors(document)] == []


def test_every_body_and_every_answer_has_an_example_that_fits_its_schema(document):
    missing, wrong = [], []
    for name, part in every_part(document):
        for content in part.get("content", {}).values():
            if "example" not in content:
                missing.append(name)
                continue
            schema = {**content["schema"], "components": document["components"]}
            errors = Draft202012Validator(schema).iter_errors(content["example"])
            wrong += [f"{name}: {error.json_path}: {error.message}" for error in errors]
    assert missing == [], "A call for these is missing in tests/support/api_scene.py"
    assert wrong == []


def test_an_example_has_no_field_that_is_not_described(document):
    def look(schema: Any, value: Any, where: str) -> Iterator[str]:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        for part in [*schema.get("anyOf", ()), *schema.get("allOf", ())]:
            yield from look(part, value, where)
        if isinstance(value, dict) and "properties" in schema:
            yield from (f"{where}.{name}" for name in value.keys() - schema["properties"].keys())
            for name in value.keys() & schema["properties"].keys():
                yield from look(schema["properties"][name], value[name], f"{where}.{name}")
        if isinstance(value, list) and "items" in schema:
            for item in value:
                yield from look(schema["items"], item, f"{where}[]")

    strange = [
        field
        for name, part in every_part(document)
        for content in part.get("content", {}).values()
        # A problem may say more than all have.
        if not name.split(": ")[-1].startswith(("4", "5")) and "shared" not in name
        for field in look(content["schema"], content.get("example"), name)
    ]
    assert strange == []


def test_what_every_call_may_answer_is_described_once(document):
    shared = document["components"]["responses"]
    for name, part in every_part(document):
        if "$ref" in part:
            assert part["$ref"].rsplit("/", 1)[1] in shared, name
    assert {"BadRequest", "Unauthorized", "NotFound", "ServiceUnavailable"} <= shared.keys()
    assert "WWW-Authenticate" in shared["Unauthorized"]["headers"]
