"""A forgotten password: by mail, by a link of an owner, by a link of a superuser."""

import re
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_q.models import OrmQ, Task

from tests.support.screens import join, text
from wiki.accounts.password_reset import ResetRefused, make_reset_link, may_reset, reset_tokens
from wiki.models import Membership, Role, Wiki
from wiki.tasks import MAX_WAITING, queue_reset, send_reset

NEW = "staple battery horse"


@pytest.fixture
def with_mail(settings) -> None:
    settings.HAS_MAIL = True


@pytest.fixture
def pat(person: User) -> User:
    person.email = "pat@example.test"
    person.save()
    return person


@pytest.fixture
def owner(wiki: Wiki) -> User:
    return join(wiki, "odile", Role.OWNER).user


def set_password(link: str, password: str = NEW):
    """Opens a link and sets a new password; the last answer."""
    client = Client()
    shown = client.get(link.removeprefix("http://127.0.0.1:8494"), follow=True)
    return client.post(
        shown.request["PATH_INFO"],
        {"new_password1": password, "new_password2": password},
        follow=True,
    )


# -- by mail


def test_a_forgotten_password_is_set_anew_by_mail(
    client: Client, pat: User, with_mail: None
) -> None:
    assert "Forgot your password?" in text(client.get("/login"))
    answer = client.post("/password/forgotten", {"email": "PAT@example.test"}, follow=True)
    assert "If there is an account with this address" in text(answer)
    assert OrmQ.objects.count() == 1
    send_reset(pat.pk, "en")
    [sent] = mail.outbox
    assert (sent.to, sent.subject) == (["pat@example.test"], "A new password for covey")
    [link] = re.findall(r"http://127\.0\.0\.1:8494/password/new/\S+", sent.body)
    assert "Your new password is set" in text(set_password(link))
    pat.refresh_from_db()
    assert pat.check_password(NEW)


def test_known_and_unknown_addresses_get_the_same_answer_for_the_same_work(
    client: Client, pat: User, with_mail: None, django_assert_num_queries
) -> None:
    answers = []
    for address in (pat.email, "nobody@example.test"):
        with django_assert_num_queries(3):
            answers.append(client.post("/password/forgotten", {"email": address}))
    assert [answer["Location"] for answer in answers] == ["/password/forgotten/done"] * 2
    assert OrmQ.objects.count() == 2
    send_reset(0, "en")
    assert mail.outbox == []


def test_the_mail_speaks_the_language_of_who_asked_and_names_only_the_public_address(
    pat: User,
) -> None:
    send_reset(pat.pk, "de")
    assert "127.0.0.1:8494" in mail.outbox[0].body
    assert "example.test" not in mail.outbox[0].body


def test_nobody_is_buried_in_mail(pat: User) -> None:
    done = {
        "id": "1" * 32,
        "name": "x",
        "func": "wiki.tasks.send_reset",
        "group": f"reset-{pat.pk}",
        "success": True,
    }
    Task.objects.create(
        **done, started=timezone.now() - timedelta(minutes=4), stopped=timezone.now()
    )
    send_reset(pat.pk, "en")
    assert mail.outbox == []
    Task.objects.update(started=timezone.now() - timedelta(minutes=6))
    send_reset(pat.pk, "en")
    assert len(mail.outbox) == 1


def test_a_flood_of_questions_is_not_queued(pat: User) -> None:
    OrmQ.objects.bulk_create(
        OrmQ(key="covey", payload="", lock=timezone.now()) for _ in range(MAX_WAITING)
    )
    queue_reset(pat.email)
    assert OrmQ.objects.count() == MAX_WAITING


@pytest.mark.parametrize("change", [{"is_active": False}, {"password": "!"}])
def test_who_cannot_sign_in_with_a_password_gets_no_mail(
    pat: User, change: dict[str, object]
) -> None:
    User.objects.update(**change)
    send_reset(pat.pk, "en")
    assert mail.outbox == []


def test_without_mail_the_screen_says_whom_to_ask(client: Client, db: None) -> None:
    assert "An owner of your wiki, or whoever administers this covey" in text(client.get("/login"))
    assert client.get("/password/forgotten").status_code == 404
    assert client.post("/password/forgotten", {"email": "a@b.test"}).status_code == 404


def test_an_address_is_asked_of_new_accounts_where_there_is_mail(
    client: Client, wiki: Wiki, owner: User, settings
) -> None:
    client.force_login(owner)
    made = client.post("/w/ops/members", {"role": "reader", "days": "1"})
    link = re.search(r"http://127\.0\.0\.1:8494(/invitation/[\w-]+)", text(made))[1]
    for has_mail in (True, False):
        settings.HAS_MAIL = has_mail
        assert ('name="email"' in text(Client().get(link, follow=True))) == has_mail


# -- links


def test_a_link_works_once(person: User, owner: User) -> None:
    link = make_reset_link(person, owner)
    assert "Your new password is set" in text(set_password(link))
    assert "This link is not valid" in text(set_password(link, "another battery"))
    person.refresh_from_db()
    assert person.check_password(NEW)


def test_a_link_works_for_a_day(person: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = reset_tokens.make_token(person)
    for seconds, is_good in ((86_400, True), (86_401, False)):
        later = datetime.now() + timedelta(seconds=seconds)
        monkeypatch.setattr(reset_tokens, "_now", lambda later=later: later)
        assert reset_tokens.check_token(person, token) == is_good


@pytest.mark.parametrize(
    "change", ["joined another wiki", "became staff", "switched off", "owner went"]
)
def test_a_link_ends_with_the_reason_it_was_given_for(
    person: User, owner: User, wiki: Wiki, change: str
) -> None:
    token = reset_tokens.make_token(person)
    assert reset_tokens.check_token(person, token)
    if change == "joined another wiki":
        other = Wiki.objects.create(slug="other", name="Anderswo")
        Membership.objects.create(wiki=other, user=person, role=Role.READER)
    elif change == "owner went":
        Membership.objects.filter(user=owner).delete()
    else:
        setattr(
            person,
            *{"became staff": ("is_staff", True), "switched off": ("is_active", False)}[change],
        )
        person.save()
    assert not reset_tokens.check_token(person, token)


def test_the_token_leaves_the_address_at_once(person: User, owner: User) -> None:
    path = make_reset_link(person, owner).removeprefix("http://127.0.0.1:8494")
    answer = Client().get(path)
    assert answer["Location"].endswith("/set-password")


def test_a_link_made_up_is_no_error(client: Client, db: None) -> None:
    for path in ("/password/new/Mg/set-password", "/password/new/x/y", "/password/new/%00/%00"):
        assert "This link is not valid" in text(client.get(path))


def test_a_weak_password_comes_back(person: User, owner: User) -> None:
    assert "too short" in text(set_password(make_reset_link(person, owner), "short"))


# -- who may make one


def test_an_owner_makes_a_link_for_a_member(client: Client, person: User, owner: User) -> None:
    client.force_login(owner)
    member = Membership.objects.get(user=person)
    assert "Make a link" in text(client.get(f"/w/ops/members/{member.pk}"))
    answer = client.post(f"/w/ops/members/{member.pk}", {"action": "reset"})
    assert "no-store" in answer["Cache-Control"]
    [link] = re.findall(r'value="(http://127\.0\.0\.1:8494/password/new/[^"]+)"', text(answer))
    assert "Your new password is set" in text(set_password(link))


@pytest.mark.parametrize(
    "kind", ["staff", "superuser", "in another wiki", "switched off", "without password", "self"]
)
def test_an_owner_takes_over_no_account_that_sees_more(
    client: Client, person: User, owner: User, wiki: Wiki, kind: str
) -> None:
    changes = {
        "staff": ("is_staff", True),
        "superuser": ("is_superuser", True),
        "switched off": ("is_active", False),
    }
    if kind in changes:
        setattr(person, *changes[kind])
    elif kind == "in another wiki":
        other = Wiki.objects.create(slug="other", name="Anderswo")
        Membership.objects.create(wiki=other, user=person, role=Role.READER)
        # To edit in that one is not to own it.
        Membership.objects.create(wiki=other, user=owner, role=Role.EDITOR)
    elif kind == "without password":
        person.set_unusable_password()
    person.save()
    someone = owner if kind == "self" else person
    client.force_login(owner)
    member = Membership.objects.get(user=someone, wiki=wiki)
    assert "Make a link" not in text(client.get(f"/w/ops/members/{member.pk}"))
    answer = client.post(f"/w/ops/members/{member.pk}", {"action": "reset"}, follow=True)
    assert "No link was made" in text(answer)
    assert "/password/new/" not in text(answer)


def test_an_owner_of_all_wikis_somebody_is_in_may(person: User, owner: User, wiki: Wiki) -> None:
    other = Wiki.objects.create(slug="other", name="Anderswo")
    Membership.objects.create(wiki=other, user=person, role=Role.OWNER)
    assert not may_reset(person, owner)
    Membership.objects.create(wiki=other, user=owner, role=Role.OWNER)
    assert may_reset(person, owner)


def test_a_superuser_makes_a_link_for_anybody_in_the_admin(
    admin_client: Client, person: User
) -> None:
    User.objects.filter(pk=person.pk).update(is_staff=True)
    posted = {"action": "make_reset_link", "_selected_action": [person.pk]}
    answer = admin_client.post(reverse("admin:auth_user_changelist"), posted)
    assert "no-store" in answer["Cache-Control"]
    [link] = re.findall(r'value="(http://127\.0\.0\.1:8494/password/new/[^"]+)"', text(answer))
    assert "Your new password is set" in text(set_password(link))


def test_the_admin_makes_one_link_at_a_time_and_none_for_oneself(
    admin_client: Client, person: User
) -> None:
    own = User.objects.get(is_superuser=True)
    for chosen, words in (
        ([person.pk, own.pk], "Choose one account"),
        ([own.pk], "No link was made"),
    ):
        posted = {"action": "make_reset_link", "_selected_action": chosen}
        assert words in text(
            admin_client.post(reverse("admin:auth_user_changelist"), posted, follow=True)
        )


def test_staff_make_no_such_links(client: Client, person: User, owner: User) -> None:
    owner.is_staff = True
    owner.save()
    owner.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    client.force_login(owner)
    posted = {"action": "make_reset_link", "_selected_action": [person.pk]}
    answer = client.post(reverse("admin:auth_user_changelist"), posted, follow=True)
    assert "/password/new/" not in text(answer)
    stranger = User.objects.create_user("stranger", password="x")
    Membership.objects.create(
        wiki=Wiki.objects.create(slug="other", name="Anderswo"), user=stranger
    )
    with pytest.raises(ResetRefused):
        make_reset_link(stranger, owner)
