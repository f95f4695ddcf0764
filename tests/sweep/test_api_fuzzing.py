"""Everything that the description of the API allows, and much that it does not, answers as it says.

The same requests come in each run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from zlib import crc32

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.db.transaction import atomic, set_rollback
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.specs.openapi.checks import use_after_free

from tests.support.api_scene import play
from tests.support.thorough import share_of
from wiki.api.main import api as described
from wiki.models import Page, PageType

EXAMPLES = share_of(100)
QUIET = {
    "derandomize": True,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "database": None,
}

CALLS = [
    (method.upper(), path)
    for path, of in described.get_openapi_schema()["paths"].items()
    for method in of
]


class Token:
    secret = ""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return self.secret

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


@cache
def read_description() -> Any:
    """Done by the first test: it takes seconds, which nobody should wait for who collects tests."""
    read = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    # What a schema cannot say is said by 422: a text of blanks, a page type in other words, a
    # cursor of another wiki. A page that exists wants its revision (428); no further field may
    # begin with “_” (400).
    acceptance = read.config.checks.positive_data_acceptance
    acceptance.expected_statuses = [*acceptance.expected_statuses, "400", "422", "428"]
    read.auth(cache_by_key=lambda case, context: Token.secret)(Token)
    return read


@contextmanager
def forgotten() -> Iterator[None]:
    """What one example writes is gone before the next."""
    with atomic():
        yield
        set_rollback(True)


def bring_near(case: schemathesis.Case) -> None:
    """Of what would only be refused as unknown half is made known: else nothing but that refusal
    would be looked at."""
    chance = crc32(repr((case.path_parameters, case.query, case.body)).encode(errors="replace"))
    if isinstance((case.query or {}).get("wiki"), str) and chance % 8:
        case.query["wiki"] = "ops"
    pages = list(Page.objects.live().order_by("pk")[:3])
    if isinstance((case.path_parameters or {}).get("slug"), str) and chance % 2 and pages:
        page = pages[chance // 2 % len(pages)]
        case.path_parameters["slug"] = page.slug
        if isinstance(case.body, dict) and isinstance(case.body.get("base_revision"), int):
            case.body["base_revision"] = page.revision
    type = case.body.get("type") if isinstance(case.body, dict) else None
    if isinstance(type, str) and 0 < len(type) <= 500 and chance % 8:
        case.body["type"] = PageType.values[chance % len(PageType.values)]


@pytest.fixture
def in_place(wiki, agent, api) -> Iterator[None]:
    """Some pages are there, and requests leave the test's transaction alone, as with Django's
    own client."""
    play(wiki, agent)
    Token.secret = api.token
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def answer_as_described(case: schemathesis.Case) -> None:
    with forgotten():
        bring_near(case)
        case.call_and_validate()


@pytest.mark.parametrize(
    ("method", "path"), CALLS, ids=lambda part: part.strip("/").replace("/", " ")
)
def test_every_call_answers_as_it_is_described(in_place: None, method: str, path: str) -> None:
    call = read_description().include(method=method, path=path)
    options = settings(max_examples=EXAMPLES, **QUIET)
    [built] = get_all_tests(
        schema=call, test_func=answer_as_described, settings=options, given_kwargs=None
    )
    _, ask = built.ok()
    ask()


class Agent:
    """It goes on with what it was answered: reads the page that it wrote, brings back what it
    threw away."""

    def setup(self) -> None:
        self.is_suggested = False
        self.undone = atomic()
        self.undone.__enter__()

    def teardown(self) -> None:
        set_rollback(True)
        self.undone.__exit__(None, None, None)

    def before_call(self, case: schemathesis.Case) -> None:
        bring_near(case)

    def validate_response(
        self, response: Any, case: schemathesis.Case, *args: Any, **options: Any
    ) -> None:
        # Of a protected page it is kept as a suggestion that it should go (202): the page itself
        # stays.
        self.is_suggested |= case.method == "DELETE" and response.status_code == 202
        left_out = [use_after_free] if self.is_suggested else []
        case.validate_response(response, excluded_checks=left_out, recorder=self.recorder)


def test_calls_one_after_another_answer_as_they_are_described(in_place: None) -> None:
    steps = settings(
        max_examples=EXAMPLES, stateful_step_count=10, phases=[Phase.generate], **QUIET
    )
    run_state_machine_as_test(
        type("Agent", (Agent, read_description().as_state_machine()), {}), settings=steps
    )
