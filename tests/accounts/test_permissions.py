"""What somebody may not see is on no path, not even as a title or a count.

Every address of wiki/urls.py is asked, read from there: a new screen is covered without a word
here. A new part of an address needs an entry in `Secrets.words`.
"""

import re
from dataclasses import dataclass
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern

from tests.support.image_files import file_of
from tests.support.screens import OPEN, join
from tests.support.writing import append_or_suggest, create_page
from wiki.accounts.members import invite
from wiki.agents.api_tokens import create_token
from wiki.images.storage import store_picture
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages
from wiki.merging.queue import propose
from wiki.models import Agent, ApiToken, Invitation, Membership, Page, Revision, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page
from wiki.pages.trash import trash_page
from wiki.recall.questions import keep_question
from wiki.recall.service import hand_out
from wiki.search.retrieval import RecallRequest
from wiki.urls import urlpatterns

ADDRESSES = [
    pattern
    for pattern in urlpatterns
    if isinstance(pattern, URLPattern) and pattern.name not in OPEN
]
OF_A_WIKI = [pattern for pattern in ADDRESSES if "<str:wiki_slug>" in str(pattern.pattern)]
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
# What only owners know, and what only those who may edit do.
OF_OWNERS, OF_EDITORS = ["Für die Neue", "covey_Tresor"], ["Weggeworfenes", "Vorgeschlagenes"]
# What nobody sees who only reads a public wiki.
OF_MEMBERS = ["Auftrag von innen", "Wonach innen gefragt wird"]


@dataclass
class Secrets:
    """A wiki with something in every place, and the words for addresses in it."""

    words: dict[str, str]
    marks: list[str]

    def addresses(self, patterns: list[URLPattern], slug: str = "tresor") -> list[tuple[str, str]]:
        """Each with its name; where a wiki is asked for words, with those words."""
        words = {**self.words, "wiki_slug": slug}
        paths = [
            (str(p.name), re.sub(r"<\w+:(\w+)>", lambda m: words[m[1]], str(p.pattern)))
            for p in patterns
        ]
        return [(name, f"/{path}?q=Bauplan&title=x&from=alt") for name, path in paths]

    def posted(self) -> dict[str, str]:
        """Whatever a form of this site may ask for."""
        choices = {
            "action": "save",
            "role": "owner",
            "days": "30",
            "note": "x",
            "is_public": "on",
            "language": "de",
        }
        texts = {"title": "Umbau", "name": "Umbau", "body": "Umgebaut.", "base_revision": "1"}
        of_tokens = {
            "agent": "wolf",
            "scope": "write",
            "form_key": "0" * 32,
            "revoke": self.words["token"],
        }
        ids = {"page_id": self.words["page_id"], "withdraw": self.words["invitation"]}
        return {**choices, **texts, **of_tokens, **ids}


@pytest.fixture
def secrets(db: None) -> Secrets:
    wiki = Wiki.objects.create(slug="tresor", name="Tresorwiki", description="Verschwiegen")
    owner = join(wiki, "hüterin", Role.OWNER)
    author = Author.person(owner.user)
    into = {"wiki": wiki, "author": author}
    page = create_page(title="Bauplan", body="[[Fehlt]] Geheimtext", tags=["geheimetikett"], **into)
    for number in range(3):
        create_page(title=f"Nachbar {number}", body="[[Bauplan]] Geheimtext", **into)
    gone = create_page(title="Weggeworfenes", body="Geheimtext", **into)
    trash_page(gone, author=author)
    agent = Agent.objects.create(name="spürnase", home_wiki=wiki)
    file_insight(wiki, agent, Handed("Geheimtext einer Erkenntnis", page=page.slug))
    token, _ = create_token(agent, wiki)
    ApiToken.objects.update(prefix="covey_Tresor")
    hand_out(
        RecallRequest(wiki, "Wonach innen gefragt wird", agent=agent, task="Auftrag von innen")
    )
    keep_question(page, "Geheimfrage", author=author)
    picture = store_picture(wiki, file_of(), "Tresorbild.png", author)
    first, second, third, fourth = Page.objects.live().order_by("pk")[:4]
    proposal, merge = (
        propose(first, second),
        merge_pages(third, fourth, author=Author.maintenance()),
    )
    invitation, secret = invite(wiki, owner.user, Role.EDITOR, 7, "Für die Neue")
    ids = {
        "page_id": gone.pk,
        "member_id": owner.pk,
        "agent_id": agent.pk,
        "number": 1,
        "invitation": invitation.pk,
    }
    fenced = protect_page(
        create_page(title="Nachbar am Zaun", body="Geheimtext", **into), author=author
    )
    suggestion = append_or_suggest(fenced, "Vorgeschlagenes", author=Author.of_agent(agent))
    ids |= {
        "proposal_id": proposal.pk,
        "merge_id": merge.pk,
        "suggestion_id": suggestion.pk,
        "token": token.pk,
    }
    words = {
        "slug": page.slug,
        "name": picture.file_name,
        "secret": secret,
        **{name: str(value) for name, value in ids.items()},
    }
    marks = [
        "Tresorwiki",
        "Verschwiegen",
        "Geheimtext",
        "Nachbar",
        "geheimetikett",
        "spürnase",
        "hüterin",
        "Tresorbild",
        "Geheimfrage",
    ]
    return Secrets(words, [*marks, *OF_OWNERS, *OF_EDITORS, *OF_MEMBERS])


def everything(answer) -> str:
    """Of an answer all that could tell something, without what is different each time."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = "\n".join(
        f"{name}: {value}" for name, value in answer.headers.items() if name != "Expires"
    )
    return CSRF.sub(
        "", unescape(f"{answer.status_code}\n{headers}\n{body.decode(errors='replace')}")
    )


def ask(client: Client, address: str, posted: dict[str, str]) -> list[str]:
    return [
        everything(client.get(address)),
        everything(client.head(address)),
        everything(client.post(address, posted)),
    ]


def state() -> object:
    """What may not have changed when somebody without the right has posted everything
    everywhere."""
    pages = list(
        Page.objects.order_by("pk").values_list(
            "pk", "slug", "title", "body", "revision", "trashed_at"
        )
    )
    wikis = list(
        Wiki.objects.order_by("pk").values_list("name", "description", "is_public", "language")
    )
    members = list(Membership.objects.order_by("pk").values_list("wiki", "user", "role"))
    tokens = list(ApiToken.objects.order_by("pk").values_list("pk", "wiki", "revoked_at"))
    invitations = list(Invitation.objects.values_list("pk", "accepted_at"))
    return pages, wikis, members, tokens, Revision.objects.count(), invitations


def test_the_walk_knows_every_address() -> None:
    assert len(ADDRESSES) >= 20
    assert {"index", "page", "markdown", "history", "search", "members", "settings"} <= {
        p.name for p in OF_A_WIKI
    }


@pytest.mark.parametrize("kind", ["stranger", "switched off", "in another wiki"])
def test_who_may_not_see_a_wiki_gets_the_answers_of_one_that_does_not_exist(
    client: Client, secrets: Secrets, kind: str
) -> None:
    if kind != "stranger":
        someone = join(Wiki.objects.create(slug="own", name="Eigenes"), "fremd", Role.OWNER).user
        client.force_login(someone)
    if kind == "switched off":
        Membership.objects.create(
            wiki=Wiki.objects.get(slug="tresor"), user=someone, role=Role.OWNER
        )
        User.objects.filter(pk=someone.pk).update(is_active=False)
    before = state()
    real, unreal = (secrets.addresses(OF_A_WIKI, slug) for slug in ("tresor", "keller"))
    for (name, address), (_, other) in zip(real, unreal, strict=True):
        answers = ask(client, address, secrets.posted())
        expected = [
            text.replace("keller", "tresor") for text in ask(client, other, secrets.posted())
        ]
        assert answers == expected, name
    assert state() == before


@pytest.mark.parametrize("kind", ["stranger", "switched off", "in another wiki"])
def test_what_may_not_be_seen_is_on_no_other_screen_either(
    client: Client, secrets: Secrets, kind: str
) -> None:
    if kind != "stranger":
        someone = join(Wiki.objects.create(slug="own", name="Eigenes"), "fremd", Role.OWNER).user
        client.force_login(someone)
        User.objects.filter(pk=someone.pk).update(is_active=kind != "switched off")
    own = secrets.addresses(OF_A_WIKI, "own") if kind == "in another wiki" else []
    for name, address in [*secrets.addresses(ADDRESSES), *own]:
        for answer in ask(client, address, secrets.posted()):
            assert [mark for mark in secrets.marks if mark in answer] == [], name


def test_a_reader_changes_nothing_and_sees_nothing_of_editors_and_owners(
    client: Client, secrets: Secrets
) -> None:
    client.force_login(join(Wiki.objects.get(), "liest").user)
    _assert_hidden(client, secrets, [*OF_OWNERS, *OF_EDITORS])


def test_who_reads_a_public_wiki_sees_no_more_than_a_reader(
    client: Client, secrets: Secrets
) -> None:
    Wiki.objects.update(is_public=True)
    _assert_hidden(client, secrets, [*OF_OWNERS, *OF_EDITORS, *OF_MEMBERS])
    client.force_login(User.objects.create_user("vorbei"))
    _assert_hidden(client, secrets, [*OF_OWNERS, *OF_EDITORS, *OF_MEMBERS])


def _assert_hidden(client: Client, secrets: Secrets, marks: list[str]) -> None:
    before = state()
    for name, address in secrets.addresses(OF_A_WIKI):
        # Leaving is for everybody who is in.
        if name != "leave":
            for answer in ask(client, address, secrets.posted()):
                assert [mark for mark in marks if mark in answer] == [], name
            assert state() == before, name


def test_an_editor_changes_nothing_that_is_the_owners(client: Client, secrets: Secrets) -> None:
    client.force_login(join(Wiki.objects.get(), "schreibt", Role.EDITOR).user)
    _, *of_owners, _revisions, _invitations = state()
    for name, address in secrets.addresses(OF_A_WIKI):
        if name != "leave":
            for answer in ask(client, address, secrets.posted()):
                assert [mark for mark in OF_OWNERS if mark in answer] == [], name
    _, *after, _revisions, _invitations = state()
    assert after == of_owners
    assert Invitation.objects.open().count() == 1


def test_the_marks_are_on_the_screens_of_who_may_see_them(client: Client, secrets: Secrets) -> None:
    client.force_login(User.objects.get(username="hüterin"))
    seen = "".join(everything(client.get(address)) for _, address in secrets.addresses(ADDRESSES))
    assert [mark for mark in secrets.marks if mark not in seen] == []
