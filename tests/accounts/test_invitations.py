"""Invitations: a link, shown once, good for one person."""

import logging
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from covey.log_redaction import install_log_redaction
from tests.support.screens import join, role_of, text
from wiki.accounts.members import accept, find_invitation, hash_invitation, invite
from wiki.models import Invitation, Membership, Role, Wiki

PASSWORD = "morgen ist auch ein Tag"
ACCOUNT = {"username": "edda", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def owner(wiki: Wiki) -> User:
    return join(wiki, "odile", Role.OWNER).user


@pytest.fixture
def owners_browser(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def open_link(client: Client, secret: str):
    return client.get(f"/invitation/{secret}", follow=True)


def test_an_owner_makes_a_link_that_is_shown_once(
    owners_browser: Client, client: Client, wiki: Wiki
) -> None:
    made = owners_browser.post(
        "/w/ops/members", {"note": "Edda <b>", "role": "reader", "days": "1"}
    )
    secret = text(made).partition("/invitation/")[2].partition('"')[0]
    assert made.headers["Cache-Control"].count("no-store") == 1
    assert len(secret) == 43
    html = owners_browser.get("/w/ops/members").content.decode()
    assert "Edda &lt;b&gt;" in html
    assert secret not in html
    assert "You are invited as a reader" in text(open_link(client, secret))


def test_the_same_form_sent_again_makes_no_second_invitation(
    owners_browser: Client, wiki: Wiki
) -> None:
    form = {"note": "Edda", "role": "reader", "days": "1", "form_key": "0123456789abcdef" * 2}
    assert "/invitation/" in text(owners_browser.post("/w/ops/members", form))
    again = owners_browser.post("/w/ops/members", form)
    assert again.status_code == 409
    assert "no second invitation was made" in text(again)
    assert "/invitation/" not in text(again)
    assert Invitation.objects.count() == 1
    # The form that came with the answer is another one.
    fresh = text(again).partition('name="form_key" value="')[2].partition('"')[0]
    assert "/invitation/" in text(
        owners_browser.post("/w/ops/members", {**form, "form_key": fresh})
    )
    assert Invitation.objects.count() == 2


@pytest.mark.parametrize("wrong", [{"role": "emperor"}, {"days": "9999"}, {"note": "x" * 201}])
def test_a_wrong_invitation_is_refused(
    owners_browser: Client, wiki: Wiki, wrong: dict[str, str]
) -> None:
    assert (
        owners_browser.post("/w/ops/members", {"role": "reader", "days": "7", **wrong}).status_code
        == 422
    )
    assert Invitation.objects.count() == 0


def test_whoever_has_no_account_makes_one_and_joins(
    client: Client, wiki: Wiki, owner: User
) -> None:
    _, secret = invite(wiki, owner, Role.EDITOR, 7)
    open_link(client, secret)
    answer = client.post("/invitation", ACCOUNT, follow=True)
    assert "Welcome to “Betrieb”. Your role: Editor." in text(answer)
    assert role_of("edda") == "editor"
    assert User.objects.get(username="edda").check_password(PASSWORD)
    assert "used already" in text(open_link(Client(), secret))


@pytest.mark.parametrize(
    "wrong",
    [
        {"password1": "short", "password2": "short"},
        {"username": "odile"},
        {"username": "ODILE"},
        {"username": ""},
    ],
)
def test_an_account_that_cannot_be_made_leaves_the_invitation_open(
    client: Client, wiki: Wiki, owner: User, wrong: dict[str, str]
) -> None:
    _, secret = invite(wiki, owner, Role.EDITOR, 7)
    open_link(client, secret)
    assert client.post("/invitation", {**ACCOUNT, **wrong}).status_code == 422
    assert User.objects.count() == 1
    assert Invitation.objects.open().count() == 1


def test_whoever_has_an_account_signs_in_and_joins(client: Client, wiki: Wiki, owner: User) -> None:
    User.objects.create_user("edda", password=PASSWORD)
    open_link(client, invite(wiki, owner, Role.READER, 7)[1])
    posted = {"username": "edda", "password": PASSWORD, "next": "/invitation"}
    assert "You join as <b>edda</b>" in text(client.post("/login", posted, follow=True))
    client.post("/invitation")
    assert role_of("edda") == "reader"
    assert client.get("/w/ops/").status_code == 200


def test_opening_a_link_alone_joins_nobody(client: Client, wiki: Wiki, owner: User) -> None:
    client.force_login(User.objects.create_user("edda"))
    open_link(client, invite(wiki, owner, Role.READER, 7)[1])
    assert role_of("edda") is None


@pytest.mark.parametrize(
    ("had", "given", "has"), [("owner", "reader", "owner"), ("reader", "editor", "editor")]
)
def test_an_invitation_never_lowers_a_role(
    client: Client, wiki: Wiki, owner: User, had: str, given: str, has: str
) -> None:
    member = join(wiki, "edda", Role(had))
    client.force_login(member.user)
    open_link(client, invite(wiki, owner, Role(given), 7)[1])
    client.post("/invitation")
    assert role_of("edda") == has
    # Who had it already leaves the link to somebody else.
    assert Invitation.objects.open().exists() == (had == has)


def test_a_link_is_good_for_one_person(client: Client, wiki: Wiki, owner: User) -> None:
    invitation, secret = invite(wiki, owner, Role.READER, 7)
    accept(invitation, User.objects.create_user("first"))
    client.force_login(User.objects.create_user("second"))
    answer = open_link(client, secret)
    assert answer.status_code == 410
    assert "used already" in text(answer)
    assert "Betrieb" not in text(answer)
    assert client.post("/invitation").status_code == 410
    assert role_of("second") is None


def test_an_expired_link_says_so(client: Client, wiki: Wiki, owner: User) -> None:
    _, secret = invite(wiki, owner, Role.READER, 7)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = open_link(client, secret)
    assert answer.status_code == 410
    assert "has expired" in text(answer)
    assert client.post("/invitation", ACCOUNT).status_code == 410
    assert not User.objects.filter(username="edda").exists()


def test_a_withdrawn_link_says_so(
    client: Client, owners_browser: Client, wiki: Wiki, owner: User
) -> None:
    invitation, secret = invite(wiki, owner, Role.READER, 7)
    assert "Withdraw" in text(owners_browser.get("/w/ops/members"))
    assert "is withdrawn" in text(
        owners_browser.post("/w/ops/members", {"withdraw": invitation.pk}, follow=True)
    )
    answer = open_link(client, secret)
    assert answer.status_code == 404
    assert "It was withdrawn" in text(answer)


def test_nobody_withdraws_an_invitation_of_another_wiki(
    owners_browser: Client, wiki: Wiki, owner: User
) -> None:
    other = Wiki.objects.create(slug="other", name="Anderswo")
    invitation, _ = invite(other, User.objects.create_superuser("root"), Role.READER, 7)
    owners_browser.post("/w/ops/members", {"withdraw": invitation.pk})
    assert Invitation.objects.filter(pk=invitation.pk).exists()


@pytest.mark.parametrize("change", ["demoted", "out", "switched off"])
def test_a_link_is_worth_no_more_than_the_word_of_who_gave_it(
    client: Client, wiki: Wiki, owner: User, change: str
) -> None:
    _, secret = invite(wiki, owner, Role.OWNER, 7)
    # Past the rules, as in the admin.
    if change == "demoted":
        Membership.objects.filter(user=owner).update(role=Role.READER)
    elif change == "out":
        Membership.objects.filter(user=owner).delete()
    else:
        User.objects.filter(pk=owner.pk).update(is_active=False)
    assert open_link(client, secret).status_code == 404


@pytest.mark.parametrize("secret", ["x", "%00", "a" * 5000, "ü"])
def test_an_unknown_link_is_no_error(client: Client, db: None, secret: str) -> None:
    assert open_link(client, secret).status_code == 404
    assert Client().get("/invitation").status_code == 404
    assert client.post(f"/invitation/{secret}").status_code == 405


# -- the secret


def test_the_secret_is_stored_nowhere_and_leaves_the_address_at_once(
    client: Client, wiki: Wiki, owner: User
) -> None:
    _, secret = invite(wiki, owner, Role.READER, 7)
    answer = client.get(f"/invitation/{secret}")
    assert (answer.status_code, answer["Location"]) == (302, "/invitation")
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "no-store" in answer["Cache-Control"]
    assert secret not in text(client.get("/invitation"))
    assert secret not in str(client.session.items())
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wiki_invitation")
        assert secret not in str(cursor.fetchall())
    assert find_invitation(hash_invitation(secret)).role == "reader"


@pytest.mark.parametrize(
    ("message", "args", "line"),
    [
        (
            "Internal Server Error: %s",
            ("/invitation/geheim-1_x",),
            "Internal Server Error: /invitation/…",
        ),
        ('"GET /invitation/geheim HTTP/1.1" 200', (), '"GET /invitation/… HTTP/1.1" 200'),
        ("%s", ("/login?next=/password/new/Mg/geheim-2",), "/login?next=/password/new/Mg/…"),
        ("Nothing of %s", ("/w/ops/invitation",), "Nothing of /w/ops/invitation"),
        ("%d", ("no number",), None),
    ],
)
def test_no_log_line_has_the_secret(message: str, args: tuple[str, ...], line: str | None) -> None:
    before = logging.getLogRecordFactory()
    try:
        install_log_redaction()
        record = logging.getLogger("gunicorn.error").makeRecord(
            "x", logging.ERROR, "f", 1, message, args, None
        )
        if line is None:
            assert record.args == args
        else:
            assert record.getMessage() == line
    finally:
        logging.setLogRecordFactory(before)
