"""How many requests a token may make within a minute: counted exactly, said in the answer, and
with no honest agent ever meeting the default."""

import threading
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import connection, connections
from django.utils import timezone

from tests.support.api_client import ApiClient
from wiki.agents.api_tokens import create_token
from wiki.agents.rate_limit import TooManyRequests, count_request
from wiki.models import Agent, ApiToken, Insight, RequestCount, Wiki


@pytest.fixture
def few(settings: LazySettings) -> LazySettings:
    settings.COVEY_REQUESTS_PER_MINUTE = 3
    return settings


def test_beyond_the_limit_a_request_is_refused_and_does_nothing(api: ApiClient, few) -> None:
    answers = [
        api.post("/insights", {"text": f"Der Proxy {n} verwirft Antworten."}) for n in range(4)
    ]
    assert [answer.status_code for answer in answers[:3]] == [201, 201, 201] or answers[
        2
    ].status_code == 200
    refused = answers[3]
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert "3 requests a minute" in refused.json()["detail"]
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert Insight.objects.count() == 3


def test_every_answer_says_what_is_left(api: ApiClient, few) -> None:
    answers = [api.get("/status") for _ in range(4)]
    assert [answer["RateLimit"].split(";")[1] for answer in answers] == ["r=2", "r=1", "r=0", "r=0"]
    assert {answer["RateLimit-Policy"] for answer in answers} == {'"minute";q=3;w=60'}
    assert api.get("/pages/nirgends")["RateLimit"]


def test_after_a_minute_it_may_go_on(api: ApiClient, few) -> None:
    for _ in range(5):
        answer = api.get("/status")
    assert answer.status_code == 429
    RequestCount.objects.update(began_at=timezone.now() - timedelta(seconds=59))
    assert (api.get("/status").status_code, api.get("/status")["Retry-After"]) == (429, "1")
    RequestCount.objects.update(began_at=timezone.now() - timedelta(seconds=61))
    assert [api.get("/status").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_each_token_has_a_minute_of_its_own(api: ApiClient, agent: Agent, wiki: Wiki, few) -> None:
    other = ApiClient(create_token(agent, wiki)[1])
    assert [api.get("/status").status_code for _ in range(4)][-1] == 429
    assert other.get("/status").status_code == 200


@pytest.mark.parametrize(
    ("own", "expected"), [(1, [200, 429, 429, 429, 429]), (4, [200] * 4 + [429]), (0, [200] * 5)]
)
def test_a_token_s_own_limit_counts_instead(
    api: ApiClient, few, own: int, expected: list[int]
) -> None:
    ApiToken.objects.update(requests_per_minute=own)
    assert [api.get("/status").status_code for _ in range(5)] == expected


def test_without_a_limit_nothing_is_counted_or_said(api: ApiClient, settings: LazySettings) -> None:
    settings.COVEY_REQUESTS_PER_MINUTE = 0
    assert "RateLimit" not in api.get("/status").headers
    assert not RequestCount.objects.exists()


def test_a_wrong_token_is_answered_401_and_never_counted(db: None, few) -> None:
    answers = [ApiClient("covey_guess").get("/status") for _ in range(9)]
    assert {(answer.status_code, answer.content) for answer in answers} == {
        (401, answers[0].content)
    }
    assert not RequestCount.objects.exists()


def test_a_refused_scope_is_counted_too(api: ApiClient, few) -> None:
    ApiToken.objects.update(scope="file")
    assert [api.get("/pages").status_code for _ in range(4)] == [403, 403, 403, 429]


def test_the_log_names_a_loop_that_runs_away_once_and_without_its_secret(
    api: ApiClient, few, caplog
) -> None:
    for _ in range(9):
        api.get("/status")
    lines = [
        record.getMessage() for record in caplog.records if record.name == "wiki.agents.rate_limit"
    ]
    token = ApiToken.objects.get()
    assert lines == [
        f"Token {token.pk} of agent {token.agent_id} made more than 3 requests a minute."
    ]


@pytest.mark.django_db(transaction=True)
def test_threads_and_processes_count_together() -> None:
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    token, _ = create_token(
        Agent.objects.create(name="robin", home_wiki=wiki), wiki, requests_per_minute=100
    )
    refused = []

    def come() -> None:
        try:
            for _ in range(20):
                try:
                    count_request(token)
                except TooManyRequests:
                    refused.append(1)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (RequestCount.objects.get().count, len(refused)) == (160, 60)


def test_the_count_costs_one_query_and_no_write_ahead_log(
    api: ApiClient, django_assert_num_queries, agent, wiki
) -> None:
    token, _ = create_token(agent, wiki)
    with django_assert_num_queries(1):
        count_request(token)
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'wiki_requestcount'")
        assert cursor.fetchone() == ("u",)


def test_no_honest_agent_meets_the_default(settings: LazySettings) -> None:
    """Four clients at full speed got 13,420 answers within a minute
    (benchmarks/request_rate.py)."""
    assert settings.COVEY_REQUESTS_PER_MINUTE > 2 * 13_420
