"""A connection that stays open between requests is looked at before it is used again."""

from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.settings_dict["ENGINE"] != "covey.embedded", reason="an outside database"
    ),
]


@pytest.fixture
def kept() -> Iterator[BaseDatabaseWrapper]:
    other = connections.create_connection("default")
    other.connect()
    yield other
    other.close()


def ask(kept: BaseDatabaseWrapper, question: str) -> object:
    with kept.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchone()[0]


def begin_request(kept: BaseDatabaseWrapper) -> None:
    kept.health_check_done = False
    kept.close_if_unusable_or_obsolete()


def test_one_that_is_there_is_used_again(kept: BaseDatabaseWrapper) -> None:
    before = ask(kept, "SELECT pg_backend_pid()")
    begin_request(kept)
    assert kept.is_usable()
    assert ask(kept, "SELECT pg_backend_pid()") == before


def test_one_that_the_server_has_ended_is_replaced(kept: BaseDatabaseWrapper) -> None:
    before = ask(kept, "SELECT pg_backend_pid()")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [before])
    begin_request(kept)
    assert not kept.is_usable()
    assert ask(kept, "SELECT pg_backend_pid()") != before


def test_one_with_something_to_hear_is_asked(kept: BaseDatabaseWrapper) -> None:
    before = ask(kept, "SELECT pg_backend_pid()")
    ask(kept, "SELECT set_config('client_min_messages', 'notice', false)")
    kept.connection.execute("LISTEN covey_test")
    with connection.cursor() as cursor:
        cursor.execute("NOTIFY covey_test")
    begin_request(kept)
    assert kept.is_usable()
    assert ask(kept, "SELECT pg_backend_pid()") == before
