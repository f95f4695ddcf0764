"""What /api/v1/openapi.json says beyond what the framework knows: problems, and what every call has in common."""

from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from wiki.api.shapes import Conflict, Exists, Problem
from wiki.problems import PROBLEM_JSON, SENTENCES

Answers = dict[int, Any]

_WIKI = {
    "in": "query",
    "name": "wiki",
    "required": False,
    "schema": {"type": "string", "default": ""},
    "description": "The wiki that the call is about; without it the token's own, the only one that it opens.",
}
_SHAPES = {409: Conflict, 428: Exists}
_SENTENCES = {
    400: "The body is not JSON, or the request was sent to another host than this installation's.",
    401: "The token is missing, unknown, revoked or expired.",
    403: "A read token may not write.",
    404: "There is no such page, revision, insight, recall or wiki.",
    409: "Somebody wrote in the meantime, another page has this address, or a mark stands against it; nothing was "
    "written.",
    411: SENTENCES[411],
    413: SENTENCES[413],
    422: "A field or parameter is missing, wrong or over its limit; `errors` says which.",
    428: "The page exists, so base_revision is needed.",
    503: SENTENCES[503],
}
_EVERYWHERE = (400, 401, 404, 503)
_WITH_BODY = (411, 413, 422)


def problems(*statuses: int) -> Answers:
    """What a call may answer beside its success and what every call may: for `response=` of its operation.

    The framework validates no answer, since every call returns a finished response.
    """
    return {status: _SHAPES.get(status, Problem) for status in statuses}


class DescribedAPI(NinjaAPI):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        for methods in schema["paths"].values():
            for call in methods.values():
                _complete(call)
        schema["components"]["schemas"]["Problem"] = Problem.json_schema()
        return schema


def _complete(call: dict[str, Any]) -> None:
    call["parameters"].append(_WIKI)
    answers = call["responses"]
    for status in (*_EVERYWHERE, *(_WITH_BODY if "requestBody" in call else ())):
        answers.setdefault(status, {"content": {"": {"schema": {"$ref": "#/components/schemas/Problem"}}}})
    for status, answer in answers.items():
        answer["description"] = _SENTENCES.get(status, HTTPStatus(status).phrase)
        if status >= HTTPStatus.BAD_REQUEST:
            [content] = answer["content"].values()
            answer["content"] = {PROBLEM_JSON: content}
    call["responses"] = {str(status): answers[status] for status in sorted(answers)}
