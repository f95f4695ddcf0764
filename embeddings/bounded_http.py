"""One HTTP request, bounded in time and in the size of its answer."""

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from threading import BoundedSemaphore
from typing import Any

import httpx
from django.conf import settings

from embeddings import timeouts
from embeddings.deadline import run_within
from embeddings.endpoints import Endpoint
from embeddings.failure_classification import (
    CHECK_ADDRESS,
    Fault,
    Kind,
    fault_of_error,
    fault_of_status,
    refused,
    timed_out,
)
from embeddings.timeouts import RetryPolicy


@dataclass(frozen=True)
class EmbeddingRequest:
    endpoint: Endpoint
    key: str = field(repr=False)
    body: Mapping[str, Any]


@lru_cache(maxsize=4)
def _client(process: int, trusts_environment: bool) -> httpx.Client:
    """Per process: a forked child must not share a connection."""
    return httpx.Client(trust_env=trusts_environment, follow_redirects=False)


def _open_client(endpoint: Endpoint) -> httpx.Client:
    # A proxy from the environment would capture requests to the own network.
    try:
        return _client(os.getpid(), not endpoint.is_inside)
    except (ImportError, ValueError):
        what = "cannot be asked through the proxy that the environment names"
        raise refused(what, "Correct HTTPS_PROXY and ALL_PROXY, or unset them.") from None


@lru_cache(maxsize=4)
def _slots(process: int, limit: int) -> BoundedSemaphore:
    return BoundedSemaphore(limit)


def post(request: EmbeddingRequest, policy: RetryPolicy) -> dict[str, Any]:
    """Return the JSON object of the answer. Raises Fault.

    Waits while COVEY_EMBEDDING_REQUESTS of this process are under way.
    """
    slots = _slots(os.getpid(), settings.COVEY_EMBEDDING_REQUESTS)
    if not slots.acquire(timeout=policy.total):
        raise Fault(Kind.UNAVAILABLE, "is still busy with earlier requests", CHECK_ADDRESS)
    try:
        return run_within(policy.total, partial(_exchange_in_slot, slots, request, policy))
    except TimeoutError:
        raise timed_out() from None


def _exchange_in_slot(
    slots: BoundedSemaphore, request: EmbeddingRequest, policy: RetryPolicy
) -> dict[str, Any]:
    # Released here, because a request goes on when nobody waits for it any more.
    try:
        return _exchange(request, policy)
    finally:
        slots.release()


def _exchange(request: EmbeddingRequest, policy: RetryPolicy) -> dict[str, Any]:
    end = timeouts.clock() + policy.total
    timeout = httpx.Timeout(policy.total, connect=policy.connect)
    client = _open_client(request.endpoint)
    content = json.dumps(request.body).encode()
    try:
        with client.stream(
            "POST",
            request.endpoint.url,
            content=content,
            headers=_headers(request),
            timeout=timeout,
        ) as response:
            data = _read_answer(response, end)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise fault_of_error(error) from None
    except UnicodeError:
        raise refused("has an address that is no name of a host") from None
    answer = _parse(data)
    if not response.is_success:
        raise fault_of_status(response.status_code, response.headers, answer, request.body)
    if not isinstance(answer, dict):
        raise _unreadable(response, data)
    return answer


def _headers(request: EmbeddingRequest) -> dict[str, str]:
    # Uncompressed, so that MAX_ANSWER_BYTES bounds the memory too.
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
    }
    if request.key and request.endpoint.is_azure:
        headers["api-key"] = request.key
    elif request.key:
        headers["Authorization"] = f"Bearer {request.key}"
    elif request.endpoint.user:
        pair = f"{request.endpoint.user}:{request.endpoint.password}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return headers


def _read_answer(response: httpx.Response, end: float) -> bytes:
    data = bytearray()
    for chunk in response.iter_raw():
        data += chunk
        if len(data) > timeouts.MAX_ANSWER_BYTES:
            raise refused("sends an answer of more than 32 MiB; embeddings are smaller")
        if timeouts.clock() > end:
            raise timed_out()
    return bytes(data)


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _unreadable(response: httpx.Response, data: bytes) -> Fault:
    kind = response.headers.get("content-type", "").lower()
    if "json" in kind and not data.lstrip().startswith(b"<"):
        what = "sent an answer that is broken off or no JSON"
        return Fault(Kind.UNSTABLE, what, CHECK_ADDRESS, is_misshapen=True)
    page = "a web page" if "html" in kind or data.lstrip()[:1] == b"<" else "something else"
    return refused(f"sent {page} where JSON was expected: another service or a proxy answers")
