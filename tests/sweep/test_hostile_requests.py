"""Requests that nobody sends by accident, to every call of the API: an answer as described, and
nothing broken."""

import json

import pytest
from django.db.transaction import atomic, set_rollback

from tests.support.api_client import API
from tests.support.api_scene import play
from tests.support.thorough import pairs
from wiki.api.examples import EXAMPLES
from wiki.api.main import api as described

PROBLEM = "application/problem+json"


CALLS = [
    (method.upper(), path.removeprefix(API), call)
    for path, methods in described.get_openapi_schema()["paths"].items()
    for method, call in methods.items()
]
WITH_BODY = [of for of in CALLS if "requestBody" in of[2]]


def recorded(method, path):
    """What the call was recorded with: parameters of the path, the query, and the body."""
    example = EXAMPLES[f"{method} {path}"]
    in_path = {
        name: value for name, value in example["parameters"].items() if f"{{{name}}}" in path
    }
    [call] = [call for of, at, call in CALLS if (of, at) == (method, path)]
    asked = {parameter["name"] for parameter in call["parameters"] if parameter["in"] == "query"}
    query = [f"{name}={value}" for name, value in example["parameters"].items() if name in asked]
    return in_path, query, example.get("body", {})


def nested(levels):
    return b'{"text": ' + b"[" * levels + b"]" * levels + b"}"


def with_field(body, name, value):
    """The body with a field that is no Python value but raw JSON."""
    return json.dumps({**body, name: "HERE"}).replace('"HERE"', value).encode()


BODIES = {
    "nothing": lambda body: b"",
    "10,000 levels": lambda body: nested(10_000),
    "400,000 levels": lambda body: nested(400_000),
    "10,000 objects in each other": lambda body: b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "an object where a text should be": lambda body: with_field(body, next(iter(body)), '{"a": 1}'),
    "a connector": lambda body: with_field(body, "_connector", '"OR 1=1"'),
    "dunder names": lambda body: with_field(body, "__class__", '{"__init__": {"__globals__": 1}}'),
    "names of fields of Django": lambda body: with_field(body, "wiki__slug", '"elsewhere"'),
    "not a number": lambda body: with_field(body, "limit", "NaN"),
    "not a number where a text should be": lambda body: with_field(body, next(iter(body)), "NaN"),
    "infinity": lambda body: with_field(body, "min_similarity", "Infinity"),
    "a huge number": lambda body: with_field(body, "base_revision", "9" * 4_000),
    "a number of more digits than Python reads": lambda body: with_field(
        body, "base_revision", "9" * 5_000
    ),
    "a huge exponent": lambda body: with_field(body, "limit", "1e999999"),
    "a huge negative exponent": lambda body: with_field(body, "min_similarity", "-1e-999999"),
    "a revision below zero": lambda body: with_field(body, "base_revision", "-9223372036854775809"),
    "the same name twice": lambda body: (
        json.dumps(body)[:-1].encode() + b', "text": "a", "text": 7}'
    ),
    "UTF-16": lambda body: json.dumps(body).encode("utf-16"),
    "UTF-32 without a mark": lambda body: json.dumps(body).encode("utf-32-le"),
    "Latin-1": lambda body: '{"text": "Größe"}'.encode("latin-1"),
    "an overlong UTF-8 sequence": lambda body: b'{"text": "\xc0\x80"}',
    "a surrogate in UTF-8": lambda body: b'{"text": "\xed\xa0\x80"}',
    "two documents": lambda body: json.dumps(body).encode() * 2,
    "single quotes": lambda body: repr(body).encode(),
    "a comment": lambda body: b"/* */" + json.dumps(body).encode(),
    "a comma too many": lambda body: json.dumps(body)[:-1].encode() + b",}",
    "a form": lambda body: b"text=x&title=y",
    "a list": lambda body: json.dumps([body]).encode(),
    "a text": lambda body: b'"x"',
    "true": lambda body: b"true",
    "many names": lambda body: json.dumps(
        {**body, **{f"n{number}": number for number in range(30_000)}}
    ).encode(),
    "one long name": lambda body: json.dumps({**body, "n" * 500_000: 1}).encode(),
    "NUL": lambda body: json.dumps(dict.fromkeys(body, "\x00")).encode(),
    "invisible Unicode tags": lambda body: json.dumps(
        dict.fromkeys(body, "a\U000e0041\u202e\ufdd0")
    ).encode(),
}
TYPES = [
    "text/plain",
    "application/xml",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-7",
    "x",
    "",
]
QUERIES = {
    "a limit of a billion": "limit=1000000000",
    "a limit as an exponent": "limit=1e9",
    "a limit of 4,000 digits": f"limit={'9' * 4_000}",
    "a limit of 5,000 digits": f"limit={'9' * 5_000}",
    "another script's digits": "limit=%D9%A5",
    "a limit twice": "limit=1&limit=2",
    "a query twice": "q=a&q=b",
    "a list": "q[]=a&limit[]=3&wiki[]=ops",
    "the wiki twice": "wiki=ops&wiki=elsewhere",
    "not UTF-8": "q=%ff%fe&wiki=%ff&tag=%ff&cursor=%ff&type=%ff",
    "NUL": "q=a%00b&wiki=ops%00&tag=%00&cursor=%00",
    "a lone surrogate": "q=%ed%a0%80&tag=%ed%a0%80",
    "half an escape": "q=%&wiki=%2&limit=%zz",
    "line breaks": "q=a%0d%0aSet-Cookie:%20x=1&wiki=%0d%0a",
    "a number below all": "base_revision=-9223372036854775809",
    "a number above all": "base_revision=99999999999999999999",
    "not a number": "min_similarity=nan&base_revision=nan",
    "nothing between": "&&&===&",
    "a long text": f"q={'x' * 60_000}",
    "1,001 parameters": "&".join(f"p{number}=1" for number in range(1_001)),
}
SLUGS = {
    "not UTF-8": "%ff%fe",
    "NUL": "a%00b",
    "a lone surrogate": "%ed%a0%80",
    "a slash": "a%2Fb",
    "up and away": "..%2f..%2fetc",
    "dots": "..",
    "a line break": "a%0d%0ab",
    "blanks": "%20%20",
    "long": "x" * 50_000,
    "long and not ASCII": "%F0%9F%98%80" * 5_000,
    "a percent sign": "%25",
    "a huge number": "9" * 5_000,
    "below zero": "-1",
    "another script's digits": "%D9%A5",
}


@pytest.fixture
def send(wiki, agent, api):
    """Sends to one of the calls, holds the answer against its description, and undoes what it
    did."""
    play(wiki, agent)

    def send_one(
        what, method, path, url, body=b"{}", query="", content_type="application/json", **headers
    ):
        with atomic():
            headers = {"Authorization": f"Bearer {api.token}", **headers}
            answer = api.client.generic(
                method, API + url, body, content_type, QUERY_STRING=query, headers=headers
            )
            set_rollback(True)
        [call] = [call for of, at, call in CALLS if (of, at) == (method, path)]
        said = f"{method} {path}, {what}: {answer.status_code} {answer.content[:200]!r}"
        assert str(answer.status_code) in call["responses"], said
        if answer.status_code >= 400:
            assert answer["Content-Type"] == PROBLEM, said
            assert answer.json()["status"] == answer.status_code, said
        return answer

    return send_one


def test_no_body_breaks_a_call(send):
    for (method, path, _), what in pairs(WITH_BODY, BODIES):
        in_path, _, body = recorded(method, path)
        send(what, method, path, path.format(**in_path), BODIES[what](body))


def test_a_body_is_read_as_json_whatever_its_type_says(send):
    for (method, path, _), content_type in pairs(CALLS, TYPES):
        in_path, query, body = recorded(method, path)
        url, raw = path.format(**in_path), json.dumps(body).encode()
        answer = send(content_type, method, path, url, raw, "&".join(query), content_type)
        assert answer.status_code not in (400, 415, 422), (method, path, content_type)


def test_no_query_breaks_a_call(send):
    for (method, path, _), what in pairs(CALLS, QUERIES):
        in_path, query, body = recorded(method, path)
        for parts in ([*query, QUERIES[what]], [QUERIES[what]]):
            send(
                what,
                method,
                path,
                path.format(**in_path),
                json.dumps(body).encode(),
                "&".join(parts),
            )


def test_no_address_breaks_a_call(send):
    named = [
        (method, path, name) for method, path, _ in CALLS for name in recorded(method, path)[0]
    ]
    for (method, path, name), what in pairs(named, SLUGS):
        in_path, _, body = recorded(method, path)
        send(
            what,
            method,
            path,
            path.format(**{**in_path, name: SLUGS[what]}),
            json.dumps(body).encode(),
        )


def test_a_body_without_a_length_is_refused(send):
    for (method, path, _), encoding in pairs(WITH_BODY, ("chunked", "gzip, chunked", "identity")):
        url = path.format(**recorded(method, path)[0])
        assert (
            send(encoding, method, path, url, **{"Transfer-Encoding": encoding}).status_code == 411
        )


@pytest.mark.parametrize("length", ["-5", "ten", "1_0", "+5", "٥", "0x10", " "])
def test_a_length_that_is_none_is_refused(api, length):
    headers = {"Authorization": f"Bearer {api.token}"}
    answer = api.client.generic(
        "POST", f"{API}/recall", b"{}", CONTENT_LENGTH=length, headers=headers
    )
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)
