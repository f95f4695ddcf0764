"""Signing in by the word of a proxy: off unless COVEY_PROXY_USER_HEADER names its header."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.screens import Write, text
from wiki.models import Membership


@pytest.fixture
def proxy(settings) -> None:
    settings.COVEY_PROXY_USER_HEADER = "X-Remote-User"
    after = settings.MIDDLEWARE.index("django.contrib.auth.middleware.AuthenticationMiddleware") + 1
    ours = "covey.proxy_login.ProxyUserMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE[:after], ours, *settings.MIDDLEWARE[after:]]
    settings.AUTHENTICATION_BACKENDS = [
        *settings.AUTHENTICATION_BACKENDS,
        "covey.proxy_login.ProxyUserBackend",
    ]


def come(client: Client, name: str, address: str = "/", peer: str = "127.0.0.1"):
    # What a web server makes of the bytes of a header.
    return client.get(
        address, headers={"X-Remote-User": name.encode().decode("latin-1")}, REMOTE_ADDR=peer
    )


def test_it_is_off_unless_it_is_set(client: Client, person: User) -> None:
    assert come(client, "pat").status_code == 302


def test_whom_the_proxy_names_is_signed_in(
    client: Client, proxy: None, person: User, write: Write
) -> None:
    write("Runner")
    html = text(come(client, "pat", "/w/ops/runner"))
    assert "Signed in as <b>pat</b>" in html
    # Signing out would last until the next click.
    assert "Sign out" not in html
    assert "Change password" in html


def test_a_new_name_becomes_an_account_without_a_wiki(
    client: Client, proxy: None, write: Write
) -> None:
    write("Runner")
    html = text(come(client, "jördis"))
    assert "No wiki yet" in html
    assert "Change password" not in html
    made = User.objects.get(username="jördis")
    assert (made.is_staff, made.has_usable_password()) == (False, False)
    assert not Membership.objects.filter(user=made).exists()
    assert come(client, "jördis", "/w/ops/runner").status_code == 404


def test_another_name_is_another_person_and_no_name_nobody(
    client: Client, proxy: None, person: User
) -> None:
    come(client, "pat")
    assert "Signed in as <b>robin</b>" in text(come(client, "robin"))
    assert client.get("/").status_code == 302


def test_who_has_a_password_may_use_it(client: Client, proxy: None, person: User) -> None:
    client.post("/login", {"username": "pat", "password": "correct horse battery"})
    html = text(client.get("/"))
    assert "Signed in as <b>pat</b>" in html
    assert "Sign out" in html


def test_who_is_switched_off_stays_out_and_nobody_is_locked_for_it(
    client: Client, proxy: None, person: User
) -> None:
    User.objects.update(is_active=False)
    for _ in range(8):
        assert come(client, "pat").status_code == 302
    assert come(client, "robin").status_code == 200


@pytest.mark.parametrize(
    ("bind", "peer", "is_believed"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "::1", True),
        # The network of a container whose port is shown on loopback alone.
        ("127.0.0.1", "172.18.0.1", True),
        ("127.0.0.1", "8.8.8.8", False),
        ("0.0.0.0", "127.0.0.1", True),
        ("0.0.0.0", "172.18.0.1", False),
        ("0.0.0.0", "8.8.8.8", False),
        ("127.0.0.1", "", False),
    ],
)
def test_the_header_is_believed_from_this_machine_alone(
    client: Client, proxy: None, person: User, settings, bind: str, peer: str, is_believed: bool
) -> None:
    settings.COVEY_BIND = bind
    assert (come(client, "pat", peer=peer).status_code == 200) == is_believed


@pytest.mark.parametrize("name", ["", " ", "a b", "x" * 151, "a\x00b", "<b>", "\xff"])
def test_what_can_be_no_name_signs_nobody_in(
    client: Client, proxy: None, db: None, name: str
) -> None:
    answer = client.get("/", HTTP_X_REMOTE_USER=name)
    assert answer.status_code == 302
    assert not User.objects.exists()


def test_calls_of_agents_are_not_touched(api: ApiClient, proxy: None, wiki) -> None:
    assert api.call("GET", "/status", headers={"X-Remote-User": "eve"}).status_code == 200
    assert ApiClient().call("GET", "/status", headers={"X-Remote-User": "eve"}).status_code == 401
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize("name", ["ｐａｔ", "𝗽𝗮𝘁", "pªt", "ﬁnn"])
def test_a_name_in_letters_that_stand_for_others_is_refused(
    client: Client, proxy: None, person: User, name: str
) -> None:
    assert come(client, name).status_code == 302
    assert set(User.objects.values_list("username", flat=True)) == {"pat"}


@pytest.mark.django_db
def test_accents_as_characters_of_their_own_are_the_same_name(client: Client, proxy: None) -> None:
    assert "jördis" in text(come(client, "jo\u0308rdis"))
