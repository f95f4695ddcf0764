"""Classify why a request brought no vectors, and what may help: the retry table of all dialects."""

import math
import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import httpx

from embeddings.providers.base import OPTIONAL_FIELDS


class Kind(StrEnum):
    # Helps: the same request, later.
    UNAVAILABLE = "unavailable"
    # Nothing but a change of settings.
    REFUSED = "refused"
    # The same request once more, then smaller ones, down to the text at fault.
    UNSTABLE = "unstable"
    # A smaller request.
    TOO_LARGE = "too large"
    # The same request without a field unknown to the service.
    UNKNOWN_FIELD = "unknown field"
    # The same request at the address of a compatible server.
    WRONG_PATH = "wrong path"


@dataclass(eq=False)
class Fault(Exception):
    """`what` continues a sentence that begins with the name of the service."""

    kind: Kind
    what: str
    remedy: str
    is_loading: bool = False
    # A wait that the service asked for, in seconds.
    retry_after: float | None = None
    is_rate_limit: bool = False
    is_model_missing: bool = False
    is_timeout: bool = False
    # The text is too long for the model; the batch is too large for the service.
    is_text_too_long: bool = False
    is_batch_too_large: bool = False
    # One by one rather than by halves: an answer that cannot be matched with its texts.
    is_misshapen: bool = False
    is_misnumbered: bool = False
    refused_fields: frozenset[str] = frozenset()


def refused(what: str, remedy: str = "") -> Fault:
    return Fault(Kind.REFUSED, what, remedy or CHECK_ADDRESS)


def timed_out() -> Fault:
    return Fault(Kind.UNSTABLE, "did not answer in time", CHECK_ADDRESS, is_timeout=True)


CHECK_ADDRESS = (
    "Check the address in COVEY_EMBEDDING_URL (or COVEY_OLLAMA_URL) and that the service runs."
)
CHECK_KEY = "Check COVEY_EMBEDDING_API_KEY and what this key may use."
SEE_LOG = "See the service's own log for its reason."
AWAIT_LOADING = "Wait until its model is loaded; its own log says how far it is."
OTHER_MODEL = "Set COVEY_EMBEDDING_MODEL to a model that the service has."
BROKEN_MODEL = (
    "Restart the service; if that does not help, set COVEY_EMBEDDING_MODEL to another "
    "embedding model."
)

_LENGTH = re.compile(
    r"context.?(length|size|window)|physical batch size|too large to process|too long|input length|"
    r"maximum (model|context|input|sequence) |max_model_len|\btokens?\b|sequence length|exceeds "
    r".*limit"
)
_BATCH = re.compile(
    r"batch.?size|(batch|request|inputs?).{0,40}(maximum|at most|limit|too (many|large))|too many|"
    r"(maximum|max|at most|limit).{0,60}(batch|per.request|inputs|items)|max_tokens_per_request"
)
_NAN = re.compile(r"\bnan\b|unsupported value")
_MODEL_MISSING = re.compile(r"model.*(not found|does not exist)|not found.*pull")
_NO_MODEL_LOADED = re.compile(
    r"no models? (is |are )?loaded|loading model|model is (still |currently )?loading"
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit")

# Characters of a service's error that are searched: the patterns are quadratic in it.
MAX_WORDS = 4_000
# Nesting of a service's error.
MAX_LEVELS = 6


def fault_of_status(
    status: int, headers: Mapping[str, str], answer: Any, sent: Mapping[str, Any]
) -> Fault:
    """Classify an answer that is not 2xx by the service's words, which are never passed on."""
    words = error_text(answer).lower()
    what = f"answered {status}"
    if 300 <= status < 400:
        return refused(f"redirects elsewhere ({status}), which covey does not follow")
    if fields := _refused_fields(status, words, sent):
        return Fault(Kind.UNKNOWN_FIELD, what, SEE_LOG, refused_fields=fields)
    if status == 429:
        return _rate_limit(words, headers)
    if _NO_MODEL_LOADED.search(words) and status in (400, 404, 500, 503):
        return Fault(
            Kind.UNAVAILABLE,
            "has no model loaded yet",
            AWAIT_LOADING,
            True,
            read_retry_after(headers),
        )
    if status in (401, 403):
        return refused(f"refuses the key ({status})", CHECK_KEY)
    if status == 404:
        return _not_found(words, str(sent.get("model", "")))
    if status in (400, 413, 422) or (status == 500 and _names_request_limit(words)):
        return _too_much(status, what, words)
    # 409 as OpenAI's own client; TEI answers 424 when its model breaks down.
    if status in (408, 409, 424, 425, 500) or 501 < status < 600:
        return _shaky_or_away(status, what, headers)
    return refused(what)


def _names_request_limit(words: str) -> bool:
    return bool(_NAN.search(words) or _LENGTH.search(words) or _is_about_batch(words))


def _is_about_batch(words: str) -> bool:
    # llama.cpp's physical batch is a part of a single text.
    return "physical batch" not in words and bool(_BATCH.search(words))


def _refused_fields(status: int, words: str, sent: Mapping[str, Any]) -> frozenset[str]:
    if status not in (400, 422, 500):
        return frozenset()
    return frozenset(
        name
        for name, signs in OPTIONAL_FIELDS.items()
        if name in sent and any(sign in words for sign in signs)
    )


def _rate_limit(words: str, headers: Mapping[str, str]) -> Fault:
    if _QUOTA.search(words):
        what = "has no quota left for this key (429, insufficient_quota)"
        return refused(what, "Add credit to it.")
    wait = read_retry_after(headers)
    remedy = "Wait, or raise the limit of this key where it was made."
    return Fault(
        Kind.UNAVAILABLE,
        "asks for fewer requests (429)",
        remedy,
        retry_after=wait,
        is_rate_limit=True,
    )


def _not_found(words: str, model: str) -> Fault:
    if _MODEL_MISSING.search(words) or "model_not_found" in words or "deploymentnotfound" in words:
        return Fault(
            Kind.REFUSED,
            f"does not have the model {model} (404)",
            OTHER_MODEL,
            is_model_missing=True,
        )
    return Fault(Kind.WRONG_PATH, "knows no embeddings at this address (404)", CHECK_ADDRESS)


def _too_much(status: int, what: str, words: str) -> Fault:
    is_nan = bool(_NAN.search(words))
    return Fault(
        Kind.TOO_LARGE,
        f"{what} (its model yields NaN)" if is_nan else what,
        BROKEN_MODEL if is_nan else SEE_LOG,
        is_text_too_long=status == 413 or bool(_LENGTH.search(words)),
        is_batch_too_large=status == 413 or _is_about_batch(words),
    )


def _shaky_or_away(status: int, what: str, headers: Mapping[str, str]) -> Fault:
    if status in (424, 500):
        return Fault(Kind.UNSTABLE, what, SEE_LOG)
    if status == 503:
        what = f"{what}: it is busy or still loading its model"
        return Fault(Kind.UNAVAILABLE, what, AWAIT_LOADING, True, read_retry_after(headers))
    return Fault(Kind.UNAVAILABLE, what, SEE_LOG, False, read_retry_after(headers))


def fault_of_error(error: httpx.HTTPError | httpx.InvalidURL) -> Fault:
    """Classify a request without an answer."""
    if isinstance(
        error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout | httpx.ProxyError
    ):
        return _no_connection(error)
    if isinstance(error, httpx.TimeoutException):
        return timed_out()
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        return Fault(Kind.UNSTABLE, "broke the connection off", SEE_LOG)
    return refused(f"could not be asked ({type(error).__name__})")


def _no_connection(error: BaseException) -> Fault:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            remedy = "Install its certificate authority, or correct the address."
            return refused("shows a certificate that this machine does not trust", remedy)
        # A handshake that ends early is a service going down, not one without TLS.
        if isinstance(cause, ssl.SSLError) and not isinstance(
            cause, ssl.SSLEOFError | ssl.SSLSyscallError
        ):
            remedy = "Check whether its address begins with http:// or https://."
            return refused("does not agree with covey on encryption (TLS)", remedy)
    return Fault(
        Kind.UNAVAILABLE,
        "refuses connections or cannot be reached",
        CHECK_ADDRESS,
        is_loading=True,
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def error_text(answer: Any, levels: int = MAX_LEVELS) -> str:
    """Join message, type and code of an error, for classification only, up to MAX_WORDS."""
    parts: list[str] = []
    if isinstance(answer, str):
        return answer[:MAX_WORDS]
    if isinstance(answer, list) and levels:
        parts = [error_text(part, levels - 1) for part in answer[:20]]
    if isinstance(answer, dict) and levels:
        keys = ("error", "detail", "message", "msg", "type", "error_type", "code", "param")
        parts = [error_text(answer[key], levels - 1) for key in keys if key in answer]
    return " ".join(parts)[:MAX_WORDS]


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return seconds, from a number or a date; None for a missing or unreadable header."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
