"""Everything that the description of the API allows, and much that it does not, answers as it says.

The same requests come in each run. A longer one is asked for with
    FUZZING_EXAMPLES=200 .venv/bin/python -m pytest tests/sweep/test_api_fuzzing.py
"""

import os
from collections.abc import Iterator
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
from schemathesis.specs.openapi.checks import use_after_free

from tests.support.api_scene import play
from wiki.models import Page, PageType

EXAMPLES = int(os.environ.get("FUZZING_EXAMPLES", "20"))
QUIET = {"derandomize": True, "deadline": None, "suppress_health_check": list(HealthCheck), "database": None}

schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
# What a schema cannot say is said by 422: a text of blanks, a page type in other words, a cursor of another wiki.
# A page that exists wants its revision (428); no further field may begin with “_” (400).
acceptance = schema.config.checks.positive_data_acceptance
acceptance.expected_statuses = [*acceptance.expected_statuses, "400", "422", "428"]


@schema.auth(cache_by_key=lambda case, context: Token.secret)
class Token:
    secret = ""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return self.secret

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


def bring_near(case: schemathesis.Case) -> None:
    """Of what would only be refused as unknown half is made known: else nothing but that refusal would be looked at."""
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
    """Some pages are there, and requests leave the test's transaction alone, as with Django's own client."""
    play(wiki, agent)
    Token.secret = api.token
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@schema.parametrize()
@settings(max_examples=EXAMPLES, **QUIET)
def test_every_call_answers_as_it_is_described(case: schemathesis.Case, in_place: None) -> None:
    bring_near(case)
    case.call_and_validate()


class Agent(schema.as_state_machine()):  # type: ignore[misc]
    """It goes on with what it was answered: reads the page that it wrote, brings back what it threw away."""

    def setup(self) -> None:
        self.is_suggested = False
        self.undone = atomic()
        self.undone.__enter__()

    def teardown(self) -> None:
        set_rollback(True)
        self.undone.__exit__(None, None, None)

    def before_call(self, case: schemathesis.Case) -> None:
        bring_near(case)

    def validate_response(self, response: Any, case: schemathesis.Case, *args: Any, **options: Any) -> None:
        # Of a protected page it is kept as a suggestion that it should go (202): the page itself stays.
        self.is_suggested |= case.method == "DELETE" and response.status_code == 202
        left_out = [use_after_free] if self.is_suggested else []
        case.validate_response(response, excluded_checks=left_out, recorder=self.recorder)


def test_calls_one_after_another_answer_as_they_are_described(in_place: None) -> None:
    steps = settings(max_examples=EXAMPLES, stateful_step_count=10, phases=[Phase.generate], **QUIET)
    run_state_machine_as_test(Agent, settings=steps)
