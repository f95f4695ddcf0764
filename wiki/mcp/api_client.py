"""Calls of the JSON API from inside the process, with the caller's token."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from typing import Any, cast
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpResponse

JSON, MARKDOWN = "application/json", "text/markdown"


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    accept: str = JSON


@dataclass(frozen=True)
class Answer:
    status: int
    text: str

    @property
    def is_refused(self) -> bool:
        return self.status >= 400

    @property
    def content(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Caller:
    """The headers of the original request that the API needs."""

    authorization: str
    address: str = "127.0.0.1"
    languages: str = ""
    # The one that all calls are about; empty for the token's first.
    wiki: str = ""

    def send(self, call: Call) -> Answer:
        """Goes through everything that a request from outside goes through, but begins and ends no
        request of Django's: the caller's server looks after database connections."""
        response = cast(HttpResponse, _handler().get_response(WSGIRequest(self._environ(call))))
        return Answer(response.status_code, response.content.decode())

    def _environ(self, call: Call) -> dict[str, Any]:
        body = (
            b""
            if call.body is None
            else json.dumps(call.body, ensure_ascii=False).encode(errors="replace")
        )
        return {
            "REQUEST_METHOD": call.method,
            "SCRIPT_NAME": "",
            # As WSGI wants it: bytes in the guise of Latin-1.
            "PATH_INFO": f"/api/v1{call.path}".encode(errors="replace").decode("latin-1"),
            "QUERY_STRING": urlencode(
                {**call.query, **({"wiki": self.wiki} if self.wiki else {})}, errors="replace"
            ),
            "CONTENT_TYPE": JSON,
            "CONTENT_LENGTH": str(len(body)),
            # Always allowed, under any COVEY_PUBLIC_URL.
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": self.address,
            "HTTP_AUTHORIZATION": self.authorization,
            "HTTP_ACCEPT": call.accept,
            "HTTP_ACCEPT_LANGUAGE": self.languages,
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
        }


def segment(text: str) -> str:
    """A slug or a title as one part of a path: in a slug a slash stands for the same as a blank."""
    return text.replace("/", " ")


@cache
def _handler() -> WSGIHandler:
    return WSGIHandler()
