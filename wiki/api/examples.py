"""Examples of requests and answers, recorded from real calls (tests/api/test_openapi_file.py)."""

import json
from pathlib import Path
from typing import Any, TypedDict

EXAMPLES_FILE = Path(__file__).with_name("examples.json")


class Example(TypedDict, total=False):
    """Of one call: parameters, body, an answer for each status, and a Markdown answer."""

    parameters: dict[str, Any]
    body: Any
    answers: dict[str, Any]
    markdown: str


_RECORDED = json.loads(EXAMPLES_FILE.read_text(encoding="utf-8"))
# By call, such as "GET /pages/{slug}".
EXAMPLES: dict[str, Example] = _RECORDED["calls"]
# By status: the problems of any call.
PROBLEMS: dict[str, Any] = _RECORDED["problems"]


def name_call(method: str, path: str) -> str:
    return f"{method.upper()} {path.removeprefix('/api/v1')}"


def add_example(name: str, call: dict[str, Any]) -> None:
    example = EXAMPLES.get(name, {})
    for parameter in call["parameters"]:
        if parameter["name"] in example.get("parameters", {}):
            parameter["example"] = example["parameters"][parameter["name"]]
    if "requestBody" in call and "body" in example:
        _content_of(call["requestBody"])["example"] = example["body"]
    for status, answer in call["responses"].items():
        if "content" in answer and status in example.get("answers", {}):
            _content_of(answer)["example"] = example["answers"][status]
        if (block := answer.get("content", {}).get("text/markdown")) and "markdown" in EXAMPLES[
            "GET /recall"
        ]:
            block["example"] = EXAMPLES["GET /recall"]["markdown"]


def _content_of(part: dict[str, Any]) -> dict[str, Any]:
    return next(content for kind, content in part["content"].items() if kind.endswith("json"))
