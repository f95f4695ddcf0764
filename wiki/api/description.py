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
    "description": "The wiki that the call is about, of those that the token opens; without it the token's first.",
}
_SHAPES = {409: Conflict, 428: Exists}
_SENTENCES = {
    202: "Not done yet: the page is protected and a person decides, or the embedding is away.",
    400: "The body is not JSON or has a field that begins with “_”, or the request was sent to another host than this "
    "installation's.",
    401: "The token is missing, unknown, revoked or expired.",
    403: "The scope of the token does not include this call.",
    404: "There is no such page, revision, insight, suggestion or wiki.",
    409: "Somebody wrote or decided in the meantime, another page has this address, or a mark stands against it; "
    "nothing was written.",
    411: SENTENCES[411],
    413: SENTENCES[413],
    422: "A field or parameter is missing, wrong or over its limit; `errors` says which.",
    428: "The page exists, so base_revision is needed.",
    429: SENTENCES[429],
    503: SENTENCES[503],
}
_EVERYWHERE = (400, 401, 404, 429, 503)
_WITH_BODY = (411, 413, 422)


def problems(*statuses: int) -> Answers:
    """What a call may answer beside its success and what every call may: for `response=` of its operation.

    The framework validates no answer, since every call returns a finished response.
    """
    return {status: _SHAPES.get(status, Problem) for status in statuses}


MARKDOWN = "text/markdown"
_BLOCK = (
    "What was found as one Markdown block, ready for a prompt: who wrote each page and when, whether it still holds, "
    "its text around the match, and the wiki's index, within `budget`. Every quoted line begins with “>”."
)
# For `openapi_extra=` of a call that answers `Accept: text/markdown` too.
IN_MARKDOWN = {
    "description": "The answer is JSON, or with `Accept: text/markdown` one Markdown block for a prompt.",
    "responses": {200: {"content": {MARKDOWN: {"schema": {"type": "string", "description": _BLOCK}}}}},
}


class DescribedAPI(NinjaAPI):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        for path, methods in schema["paths"].items():
            for call in methods.values():
                _complete(call, opens_pages="/pages" in path)
        schema["components"]["schemas"]["Problem"] = Problem.json_schema()
        return schema


def _complete(call: dict[str, Any], *, opens_pages: bool) -> None:
    call["parameters"].append(_WIKI)
    answers = call["responses"]
    with_body = _WITH_BODY if "requestBody" in call else ()
    for status in (*_EVERYWHERE, *with_body, *((403,) if opens_pages else ())):
        answers.setdefault(status, {"content": {"": {"schema": {"$ref": "#/components/schemas/Problem"}}}})
    for status, answer in answers.items():
        answer["description"] = _SENTENCES.get(status, HTTPStatus(status).phrase)
        if status >= HTTPStatus.BAD_REQUEST:
            [content] = answer["content"].values()
            answer["content"] = {PROBLEM_JSON: content}
    call["responses"] = {str(status): answers[status] for status in sorted(answers)}
