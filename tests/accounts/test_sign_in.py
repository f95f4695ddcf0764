"""Trying passwords: slowed down for a name and an address, alike whether there is such a name."""

import logging
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.conf import settings as covey
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client, RequestFactory

from covey.sign_in_throttle import FAILURES_OF_AN_ADDRESS, client_address
from tests.support.screens import text

PASSWORD = "correct horse battery"
LIMIT = covey.AXES_FAILURE_LIMIT


def attempt(
    client: Client,
    name: str = "pat",
    password: str = "wrong",
    address: str = "127.0.0.1",
    **more: str,
):
    return client.post(
        "/login", {"username": name, "password": password, **more}, REMOTE_ADDR=address
    )


def wait(minutes: int) -> None:
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=minutes))


@pytest.mark.parametrize("name", ["pat", "nobody"])
def test_thirty_wrong_passwords_are_locked_alike_for_known_and_unknown_names(
    client: Client, person: User, name: str
) -> None:
    answers = [attempt(client, name) for _ in range(30)]
    assert [answer.status_code for answer in answers] == [200] * (LIMIT - 1) + [429] * (31 - LIMIT)
    html = text(answers[-1])
    assert "Too many wrong passwords." in html
    assert "Wait 15 minutes" in html
    assert name not in html.replace("path", "")
    assert answers[-1]["Retry-After"] == "900"


def test_the_right_password_is_refused_too_until_the_time_is_over(
    client: Client, person: User
) -> None:
    for _ in range(LIMIT):
        attempt(client)
    assert attempt(client, password=PASSWORD).status_code == 429
    wait(14)
    assert attempt(client, password=PASSWORD).status_code == 429
    wait(1)
    assert attempt(client, password=PASSWORD).status_code == 302


def test_trying_on_does_not_lengthen_it(client: Client, person: User) -> None:
    for _ in range(LIMIT):
        attempt(client)
    wait(14)
    attempt(client)
    wait(1)
    assert attempt(client, password=PASSWORD).status_code == 302


def test_the_right_password_just_below_the_limit_forgets_the_wrong_ones(
    client: Client, person: User
) -> None:
    for _ in range(LIMIT - 1):
        attempt(client)
    assert attempt(client, password=PASSWORD).status_code == 302
    assert AccessAttempt.objects.count() == 0


def test_a_locked_name_locks_nobody_else_on_the_machine(client: Client, person: User) -> None:
    User.objects.create_user("robin", password=PASSWORD)
    for _ in range(LIMIT + 1):
        attempt(client)
    assert attempt(client, "robin", PASSWORD).status_code == 302


def test_nor_the_same_name_from_elsewhere(client: Client, person: User) -> None:
    for _ in range(LIMIT + 1):
        attempt(client, address="198.51.100.7")
    assert attempt(client, password=PASSWORD, address="198.51.100.8").status_code == 302


@pytest.mark.parametrize(
    ("address", "status"), [("198.51.100.7", 429), ("127.0.0.1", 302), ("::1", 302)]
)
def test_an_address_that_tries_many_names_is_refused_but_not_the_one_that_all_share(
    client: Client, person: User, address: str, status: int
) -> None:
    for number in range(FAILURES_OF_AN_ADDRESS):
        attempt(client, f"name-{number}", address=address)
    assert attempt(client, password=PASSWORD, address=address).status_code == status


def test_an_address_just_below_that_is_not_refused(client: Client, person: User) -> None:
    for number in range(FAILURES_OF_AN_ADDRESS - 1):
        attempt(client, f"name-{number}", address="198.51.100.7")
    assert attempt(client, password=PASSWORD, address="198.51.100.7").status_code == 302


def test_a_text_that_was_carried_along_is_in_the_page_that_says_wait(
    client: Client, person: User
) -> None:
    kept = {"kept-title": "Title", "kept-body": "My <long> text", "next": "/w/ops/new"}
    for _ in range(LIMIT + 1):
        answer = attempt(client, **kept)
    assert answer.status_code == 429
    assert "your text is kept in it" in text(answer)
    assert "My <long> text</textarea>" in text(answer)
    assert 'name="next" value="/w/ops/new"' in text(answer)


def test_the_admins_form_is_throttled_with_the_same(client: Client, person: User) -> None:
    for _ in range(LIMIT):
        attempt(client)
    posted = {"username": "pat", "password": PASSWORD, "next": "/admin/"}
    answer = client.post("/admin/login/", posted)
    assert answer.status_code == 429
    assert 'name="next" value="/admin/"' in text(answer)


def test_nothing_that_was_typed_is_kept_or_logged(client: Client, person: User, caplog) -> None:
    typed = {
        "name": "hunter2-as-name",
        "password": "hunter2-as-password",
        "kept-body": "hunter2-as-text",
    }
    with caplog.at_level(logging.INFO):
        for _ in range(LIMIT + 1):
            attempt(client, **typed, next="/hunter2-as-next")
    rows = str(list(AccessAttempt.objects.values()))
    assert AccessAttempt.objects.count() == 1
    assert "hunter2" not in rows + caplog.text
    # From where it was tried is what an operator wants to know.
    assert "127.0.0.1" in caplog.text


def test_who_is_switched_off_gets_the_answer_of_a_wrong_password(
    client: Client, person: User
) -> None:
    User.objects.update(is_active=False)
    off, unknown = attempt(client, password=PASSWORD), attempt(client, "nobody", PASSWORD)
    assert off.status_code == unknown.status_code == 200
    notes = [
        text(answer).partition('role="alert">')[2].partition("<")[0] for answer in (off, unknown)
    ]
    assert notes[0] == notes[1] != ""


# -- where somebody is


@pytest.mark.parametrize(
    ("is_https", "peer", "forwarded", "address"),
    [
        (False, "127.0.0.1", "198.51.100.7", "127.0.0.1"),
        (True, "127.0.0.1", "198.51.100.7", "198.51.100.7"),
        (True, "172.18.0.1", "10.0.0.1, 198.51.100.7", "198.51.100.7"),
        (True, "127.0.0.1", "", "127.0.0.1"),
        (True, "127.0.0.1", "nonsense", "127.0.0.1"),
        (True, "8.8.8.8", "198.51.100.7", "8.8.8.8"),
        (False, "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        (False, "::ffff:198.51.100.7", "", "198.51.100.7"),
        (False, "fe80::1%eth0", "", "fe80::"),
        (False, "::1", "", "::1"),
        (False, "", "", None),
    ],
)
def test_the_address_is_the_proxys_word_only_where_there_is_a_proxy(
    settings, is_https: bool, peer: str, forwarded: str, address: str | None
) -> None:
    settings.IS_HTTPS = is_https
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert (
        client_address(RequestFactory().get("/login", REMOTE_ADDR=peer, headers=headers)) == address
    )
