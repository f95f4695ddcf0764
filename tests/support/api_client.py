"""An agent's way to the API, as the tests use it."""

import json
from typing import Any
from urllib.parse import quote

from django.test import Client

API = "/api/v1"


class ApiClient:
    def __init__(self, token: str = "") -> None:
        self.client, self.token = Client(raise_request_exception=False), token

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        address = API + quote(path, safe="/?=&%")
        all_headers = {**authorization, **(headers or {})}
        return self.client.generic(
            method, address, data, content_type="application/json", headers=all_headers
        )

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        return self.call("POST", path, body, headers=headers)

    def put(self, path: str, body: Any) -> Any:
        return self.call("PUT", path, body)

    def delete(self, path: str) -> Any:
        return self.call("DELETE", path)
