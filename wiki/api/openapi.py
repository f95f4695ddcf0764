"""/api/v1/openapi.json beyond the framework's own: problems, examples, and the shared parts."""

import re
from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import REF_TEMPLATE, OpenAPISchema
from ninja.operation import Operation

from wiki.api.examples import PROBLEMS, add_example, name_call
from wiki.api.problems import PROBLEM_JSON, SENTENCES, phrase_of
from wiki.api.response_schemas import Conflict, Exists, Problem

Answers = dict[int, Any]

_WIKI = {
    "in": "query",
    "name": "wiki",
    "required": False,
    "schema": {"type": "string", "default": ""},
    "description": "The wiki that the call is about, of those that the token opens; without it the "
    "token's first.",
}
_SHAPES: dict[int, type[Problem]] = {409: Conflict, 428: Exists}
_SENTENCES = {
    202: "Not done yet: the page is protected and a person decides, or the embedding is away.",
    400: "The body is not JSON in UTF-8 or has a field that begins with “_”, the address has too "
    "many parameters, or "
    "the request was sent to another host than this installation's.",
    401: "The token is missing, unknown, revoked or expired.",
    403: "The scope of the token does not include this call.",
    404: "What the address or the parameter `wiki` names is not there, or not for this token.",
    409: "Somebody wrote or decided in the meantime, another page has this address, or a mark "
    "stands against it; "
    "nothing was written.",
    411: SENTENCES[411],
    413: SENTENCES[413],
    422: "A field or parameter is missing, wrong or over its limit; `errors` says which.",
    428: "The page exists, so base_revision is needed.",
    429: SENTENCES[429],
    503: SENTENCES[503],
}
_HEADERS = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}, "description": "Bearer"}},
    429: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}},
}
# Problems of every call, and of every call with a body; described once.
_EVERYWHERE = (400, 401, 404, 429, 503)
_WITH_BODY = (411, 413, 422)


def problems(*statuses: int) -> Answers:
    """The problems of a call beside those of every call, for `response=` of its operation.

    The framework validates no answer, since every call returns a finished response.
    """
    return {status: _SHAPES.get(status, Problem) for status in statuses}


MARKDOWN = "text/markdown"
_BLOCK = (
    "What was found as one Markdown block, ready for a prompt: who wrote each page and when, "
    "whether it still holds, "
    "its text around the match, and the wiki's index, within `budget`. Every quoted line begins "
    "with “>”."
)
# For `openapi_extra=` of a call that answers `Accept: text/markdown` too.
IN_MARKDOWN = {
    "description": "The answer is JSON, or with `Accept: text/markdown` one Markdown block for a "
    "prompt.",
    "responses": {
        200: {"content": {MARKDOWN: {"schema": {"type": "string", "description": _BLOCK}}}}
    },
}


class DescribedAPI(NinjaAPI):
    _schema: OpenAPISchema | None = None

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Made once: the calls of a process do not change."""
        if self._schema is None:
            self._schema = _describe(super().get_openapi_schema(**options))
        return self._schema

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


def _describe(schema: OpenAPISchema) -> OpenAPISchema:
    components = schema["components"]
    shapes: list[type[Problem]] = [Problem, *_SHAPES.values()]
    for shape in shapes:
        definition = shape.model_json_schema(ref_template=REF_TEMPLATE)
        components["schemas"] |= {**definition.pop("$defs", {}), shape.__name__: definition}
    for path, methods in schema["paths"].items():
        for method, call in methods.items():
            _complete(call, name_call(method, path), opens_pages="/pages" in path)
    components["schemas"] = {name: _tidy(shape) for name, shape in components["schemas"].items()}
    components["responses"] = {
        problem_name(status): _problem_answer(status) for status in _SENTENCES
    }
    _keep_what_is_used(schema)
    # An empty list says no more than none.
    del schema["servers"]
    return schema


def _complete(call: dict[str, Any], name: str, *, opens_pages: bool) -> None:
    call["parameters"] = [_tidy_parameter(parameter) for parameter in call["parameters"]] + [
        dict(_WIKI)
    ]
    answers = call["responses"]
    with_body = _WITH_BODY if "requestBody" in call else ()
    for status in (*_EVERYWHERE, *with_body, *((403,) if opens_pages else ())):
        answers.setdefault(status, {})
    for status, answer in answers.items():
        is_problem = status >= HTTPStatus.BAD_REQUEST
        answers[status] = (
            _problem_answer(status, answer) if is_problem else answer | _described(status)
        )
    call["responses"] = {str(status): answers[status] for status in sorted(answers)}
    add_example(name, call)
    for status, answer in call["responses"].items():
        # An answer that is the same for other calls is described once.
        if int(status) in _SENTENCES and answer == _problem_answer(int(status)):
            call["responses"][status] = {
                "$ref": f"#/components/responses/{problem_name(int(status))}"
            }


def _keep_what_is_used(schema: dict[str, Any]) -> None:
    """Without shapes that only parameters were made of, and without problems that no call
    answers."""
    components = schema["components"]
    waiting, used = _references(schema["paths"]), set()
    while waiting:
        kind, name = waiting.pop()
        if (kind, name) not in used:
            used.add((kind, name))
            waiting |= _references(components[kind][name])
    for kind in ("schemas", "responses"):
        components[kind] = {
            name: components[kind][name]
            for name in sorted(components[kind])
            if (kind, name) in used
        }


def _references(part: object) -> set[tuple[str, str]]:
    return set(re.findall(r"'#/components/(\w+)/(\w+)'", repr(part)))


def _described(status: int) -> dict[str, Any]:
    headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
    return {"description": _SENTENCES.get(status, phrase_of(status)), **headers}


def _problem_answer(status: int, answer: dict[str, Any] | None = None) -> dict[str, Any]:
    """The answer as the framework describes it, else the usual one of this status."""
    usual = {"schema": {"$ref": f"#/components/schemas/{_SHAPES.get(status, Problem).__name__}"}}
    [content] = [dict(own) for own in (answer or {}).get("content", {"": usual}).values()]
    if str(status) in PROBLEMS:
        content["example"] = PROBLEMS[str(status)]
    return {**_described(status), "content": {PROBLEM_JSON: content}}


def problem_name(status: int) -> str:
    return phrase_of(status).title().replace(" ", "")


def _tidy_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    """Drop the description that the framework repeats, and its list of examples, which OpenAPI
    wants by name."""
    schema = {
        name: value for name, value in _tidy(parameter["schema"]).items() if name != "description"
    }
    return {name: value for name, value in parameter.items() if name != "examples"} | {
        "schema": schema
    }


def _tidy(schema: Any) -> Any:
    """Without the titles that are made of the fields' names."""
    if isinstance(schema, list):
        return [_tidy(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {
        name: _tidy(part) for name, part in schema.items() if name not in ("title", "properties")
    }
    if "properties" in schema:
        tidied["properties"] = {name: _tidy(part) for name, part in schema["properties"].items()}
    return tidied
