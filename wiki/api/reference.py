"""The description of the API as people read it: each call with its parameters, bodies, answers and
examples.

Texts are as they stand in /api/v1/openapi.json; `words` of a field are its type and limits in terms
of JSON.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

from django.utils.safestring import SafeString, mark_safe

from wiki.api.openapi import MARKDOWN, problem_name
from wiki.api.problems import phrase_of
from wiki.markdown.code_highlighting import CodePainter

Part = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One of a body, an answer or a query; `name` with its way, such as pages[].slug."""

    name: str
    words: str
    text: str = ""
    is_required: bool = False
    default: str = ""
    choices: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    status: int
    phrase: str
    text: str
    fields: list[Field]
    example: SafeString
    # The problems of every call stand in one place.
    is_shared: bool = False


@dataclass(frozen=True)
class Call:
    id: str
    method: str
    path: str
    summary: str
    text: str
    parameters: list[Field]
    body: list[Field]
    command: SafeString
    answers: list[Answer]
    problems: list[Answer]


@dataclass(frozen=True)
class Reference:
    text: str
    # By the words that the calls are tagged with.
    groups: dict[str, list[Call]]
    problems: list[Answer]


def read_reference(document: Part, address: str) -> Reference:
    """The document as it is read at an address, such as https://wiki.example.org."""
    reader = _Reader(document, address)
    groups: dict[str, list[Call]] = {}
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            groups.setdefault(call.get("tags", ["calls"])[0], []).append(
                reader.call(method.upper(), path, call)
            )
    statuses = {problem_name(status): status.value for status in HTTPStatus}
    problems = [
        reader.answer(statuses[name], answer)
        for name, answer in document["components"]["responses"].items()
    ]
    return Reference(
        document["info"]["description"],
        groups,
        sorted(problems, key=lambda problem: problem.status),
    )


def _painted(code: str, language: str) -> SafeString:
    # The painter escapes the code.
    return mark_safe(CodePainter().paint(code, language))


def _json(example: object) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False)


class _Reader:
    def __init__(self, document: Part, address: str) -> None:
        self.components, self.address = document["components"], address

    def call(self, method: str, path: str, call: Part) -> Call:
        answers = [
            form
            for status, answer in call["responses"].items()
            for form in self.forms(int(status), answer)
        ]
        body = call.get("requestBody", {}).get("content", {}).get("application/json", {})
        return Call(
            id=call["operationId"],
            method=method,
            path=path,
            summary=call["summary"],
            text=call.get("description", ""),
            parameters=[self.parameter(parameter) for parameter in call["parameters"]],
            body=list(self.fields(body["schema"])) if body else [],
            command=self.command(method, path, call["parameters"], body.get("example")),
            answers=[answer for answer in answers if answer.status < HTTPStatus.BAD_REQUEST],
            problems=[answer for answer in answers if answer.status >= HTTPStatus.BAD_REQUEST],
        )

    def parameter(self, parameter: Part) -> Field:
        where = {"path": "in the path", "header": "a header"}.get(parameter["in"], "")
        words = ", ".join(filter(None, [self.words(parameter["schema"]), where]))
        text, is_required = parameter.get("description", ""), parameter.get("required", False)
        return self.field(parameter["name"], parameter["schema"], is_required, words, text)

    def forms(self, status: int, answer: Part) -> Iterator[Answer]:
        """An answer in each of the forms that can be asked for."""
        for kind in self.follow(answer).get("content", {"": {}}):
            yield self.answer(status, answer, kind)

    def answer(self, status: int, answer: Part, kind: str = "") -> Answer:
        is_shared = "$ref" in answer
        answer = self.follow(answer)
        contents = answer.get("content", {})
        content: Part = contents.get(kind) or next(iter(contents.values()), {})
        schema, example = content.get("schema", {}), content.get("example", "")
        text = schema.get("description", "") if kind == MARKDOWN else answer["description"]
        painted = (
            _painted(example, "markdown")
            if kind == MARKDOWN
            else _painted(_json(example) if example else "", "json")
        )
        return Answer(
            status, phrase_of(status), text, list(self.fields(schema)), painted, is_shared
        )

    def command(self, method: str, path: str, parameters: list[Part], body: Any) -> SafeString:
        """A command line that sends the example."""
        given: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
        for parameter in parameters:
            if "example" in parameter:
                given[parameter["in"]][parameter["name"]] = str(parameter["example"])
        url = self.address + path.format(
            **{name: quote(value) for name, value in given["path"].items()}
        )
        query = f"?{urlencode(given['query'])}" if given["query"] else ""
        lines = [
            "curl" + ("" if method == "GET" else f" -X {method}") + f" {shlex.quote(url + query)}"
        ]
        lines.append('-H "Authorization: Bearer $TOKEN"')
        lines += [
            f"-H {shlex.quote(f'{name}: {value}')}" for name, value in given["header"].items()
        ]
        if body is not None:
            lines.append("-H 'Content-Type: application/json'")
            lines.append(f"-d {shlex.quote(json.dumps(body, indent=2, ensure_ascii=False))}")
        return _painted(" \\\n     ".join(lines), "bash")

    def fields(self, schema: Part, way: str = "") -> Iterator[Field]:
        schema = self.follow(schema)
        required = schema.get("required", ())
        for name, part in schema.get("properties", {}).items():
            yield self.field(way + name, part, name in required)
            inner, step = self.inner(part)
            yield from self.fields(inner, f"{way}{name}{step}.")

    def field(
        self, name: str, schema: Part, is_required: bool, words: str = "", text: str = ""
    ) -> Field:
        inner, _ = self.inner(schema)
        default = schema.get("default")
        return Field(
            name,
            words or self.words(schema),
            text or schema.get("description", ""),
            is_required,
            "" if default in (None, "", []) else json.dumps(default).strip('"'),
            [str(choice) for choice in inner.get("enum", ()) if choice != ""],
        )

    def inner(self, schema: Part) -> tuple[Part, str]:
        """The schema inside a list or an optional value, and the step that leads to it."""
        schema = self.follow(schema)
        if "anyOf" in schema:
            [schema] = [
                self.follow(part) for part in schema["anyOf"] if part.get("type") != "null"
            ][:1]
        if "items" in schema:
            return self.inner(schema["items"])[0], "[]"
        return schema, ""

    def words(self, schema: Part) -> str:
        schema = self.follow(schema)
        if "anyOf" in schema:
            return " or ".join(self.words(part) for part in schema["anyOf"])
        if "items" in schema:
            return f"list of {self.words(schema['items'])}s"
        limits = [
            f"at least {schema['minimum']}" if "minimum" in schema else "",
            f"at most {schema['maximum']}" if "maximum" in schema else "",
            f"at most {schema['maxLength']:,} characters" if "maxLength" in schema else "",
        ]
        return ", ".join(
            filter(None, [schema.get("format") or str(schema.get("type", "object")), *limits])
        )

    def follow(self, part: Part) -> Part:
        while "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            part = self.components[kind][name]
        return part
