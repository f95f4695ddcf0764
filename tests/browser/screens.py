"""A wiki with something on every screen, and the addresses of all of them, read from
wiki/urls.py."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.urls import URLPattern
from django.utils import timezone
from playwright.sync_api import Page as Screen

from tests.support.image_files import file_of
from tests.support.screens import OPEN, join
from tests.support.writing import append_or_suggest, create_page, revise_or_suggest, revise_page
from wiki.accounts.members import invite
from wiki.accounts.password_reset import make_reset_link
from wiki.agents.api_tokens import create_token
from wiki.images.storage import store_picture, write_markdown
from wiki.insights.intake import Handed, file_insight
from wiki.merging.merge import merge_pages
from wiki.merging.queue import propose
from wiki.models import Agent, Receipt, Role, Scope, Suggestion, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page
from wiki.pages.rename import rename_page
from wiki.pages.status import confirm_page, mark_outdated, mark_replaced
from wiki.pages.trash import trash_page
from wiki.recall.feedback import mark_page
from wiki.recall.service import hand_out
from wiki.search.retrieval import RecallRequest
from wiki.suggestions.propose import trash_or_suggest
from wiki.suggestions.review import reject
from wiki.urls import urlpatterns

# Scripts, feed readers and pictures ask for these; the others only take what is posted.
NO_SCREENS = {
    "instant",
    "instant_all",
    "template",
    "preview",
    "preview_changes",
    "titles",
    "link_titles",
    "link_headings",
    "picture",
    "markdown",
    "wiki_feed",
    "page_feed",
    "logout",
    "set_language",
    "changes_seen",
    "remove_redirect",
    "propose_merge",
}
# What a screen shows more of when it is asked like this.
ASKED = {
    "search": "?q=runner",
    "search_all": "?q=runner",
    "compare": "?from=1&to=2",
    "undo_all": "?by=person:odile",
    "undo_rename": "",
    "two_pages": "?with=build-server",
    "choice": "?name=Runner",
}
# Screens of an address that has several, and of what is not there: the answer's status beside each.
STATES = {
    "calls of the API": ("/api/v1/docs", 200),
    "index narrowed": ("/w/ops/?tag=ci", 200),
    "empty wiki": ("/w/empty/", 200),
    "changes of an empty wiki": ("/w/empty/changes", 200),
    "pictures of an empty wiki": ("/w/empty/pictures", 200),
    "recalls of a page without any": ("/w/ops/older-host/recalls", 200),
    "trash of an empty wiki": ("/w/empty/trash", 200),
    "search before a question": ("/w/ops/search", 200),
    "search narrowed": ("/w/ops/search?q=build&type=system", 200),
    "search without a page": ("/w/ops/search?q=zzz", 200),
    "changes of somebody": ("/w/ops/changes?by=agent:robin", 200),
    "changes of a revision": ("/w/ops/runner/history/2?changes", 200),
    "page marked as outdated": ("/w/ops/old-host", 200),
    "page that was replaced": ("/w/ops/older-host", 200),
    "redirect": ("/w/ops/build-box?redirect=no", 200),
    "came from a redirect": ("/w/ops/build-box", 200),
    "page of a name that is taken": ("/w/ops/new?title=Runner", 200),
    "page that is not written": ("/w/ops/not-yet", 404),
    "address of the trash": ("/w/ops/thrown-away", 404),
    "wiki that does not exist": ("/w/nowhere/", 404),
    "health of an empty wiki": ("/w/empty/health", 200),
    "map of an empty wiki": ("/w/empty/map", 200),
    "tags of an empty wiki": ("/w/empty/tags", 200),
    "health, who wants a page": ("/w/ops/health?finding=dead-links&wanted=nothing-yet", 200),
    "health, marked pages": ("/w/ops/health?finding=outdated", 200),
    "health, pages alike": ("/w/ops/health?finding=duplicates", 200),
    "map with similar pages": ("/w/ops/map?similar", 200),
    "merges narrowed": ("/w/ops/merges?reason=asked&kind=number", 200),
    "merges narrowed to nothing": ("/w/ops/merges?band=same", 200),
    "similar pages without one": ("/w/read-only/alone/similar", 200),
    "merges of an empty wiki": ("/w/empty/merges", 200),
    "protected page": ("/w/ops/fenced", 200),
    "editing a protected page": ("/w/ops/fenced/edit", 200),
    "lifting a protection": ("/w/ops/fenced/protection", 200),
    "suggestions of one page": ("/w/ops/suggestions?of=fenced", 200),
    "suggestions, decided": ("/w/ops/suggestions?state=decided", 200),
    "suggestions of an empty wiki": ("/w/empty/suggestions", 200),
    "agents of an empty wiki": ("/w/empty/agents", 200),
    "one more token for an agent": ("/w/ops/connect?agent=robin", 200),
    "what only editors may": ("/w/read-only/new", 403),
}

TEXT = """Text with `code`, **bold**, ~~gone~~, [a link](https://example.org), [[Nothing yet]] and a note.[^1]

# One

{picture}

## Two

- [ ] open
- [x] done

### Three

```python
def run(x):
    return 'a' + str(1)  # why
```

| a | b |
|---|--:|
| 1 | 2 |

> quoted

An_absurdly_long_word_without_any_place_to_break_it_which_is_longer_than_a_telephone_is_wide_by_far

[^1]: The note.
"""


@dataclass(frozen=True)
class Furnished:
    owner: User
    words: dict[str, str]
    # Further screens of an address that is in `words` for one of them.
    more: dict[str, str]

    def addresses(self, patterns: list[URLPattern]) -> dict[str, str]:
        """Of each pattern with what is in the wiki; a KeyError asks for a word for a new part of
        an address."""
        made = {}
        for pattern in patterns:
            name = str(pattern.name)
            words = {**self.words, **({"slug": "build-server"} if name == "undo_rename" else {})}
            path = re.sub(r"<\w+:(\w+)>", lambda part: words[part[1]], str(pattern.pattern))  # noqa: B023
            made[name] = f"/{path}{ASKED.get(name, '')}"
        return made

    def of_strangers(self) -> dict[str, str]:
        return self.addresses([pattern for pattern in _screens() if pattern.name in OPEN])

    def of_people(self) -> dict[str, str]:
        return self.addresses([pattern for pattern in _screens() if pattern.name not in OPEN])


def _screens() -> list[URLPattern]:
    patterns = [pattern for pattern in urlpatterns if isinstance(pattern, URLPattern)]
    return [pattern for pattern in patterns if pattern.name not in NO_SCREENS]


def furnish(wiki: Wiki) -> Furnished:
    owner = join(wiki, "odile", Role.OWNER).user
    # Who may make wikis sees the form for it.
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    guest = join(wiki, "gustav", Role.READER)
    author = Author.person(owner)
    into = {"wiki": wiki, "author": author}
    picture = store_picture(wiki, file_of(), "A picture.png", author)
    robin = Agent.objects.create(name="robin", home_wiki=wiki)
    page = create_page(title="Runner", body="Runs.", type="problem", tags=["ci", "linux"], **into)
    text = TEXT.format(picture=write_markdown(picture))
    page = revise_page(
        page, 1, title="Runner", body=text, type="problem", author=author, summary="all of it"
    )
    server = create_page(
        title="Build box", body="It has a [[Runner]].", type="system", tags=["ci"], **into
    )
    rename_page(server, 1, title="Build server", author=author)
    create_page(
        title="Diary",
        body="The Runner was restarted, and the build server too.",
        type="topic",
        **into,
    )
    mark_outdated(create_page(title="Old host", body="It was.", **into), author=author)
    older = create_page(title="Older host", body="It was too.", **into)
    mark_replaced(older, page, author=author)
    confirm_page(page, author=author)
    gone = create_page(title="Thrown away", body="Gone.", **into)
    trash_page(gone, author=author)
    proposal = propose(
        create_page(
            title="Queue workers", body="Restart the workers.\n\nThe port is 8080.", **into
        ),
        create_page(title="Workers", body="Restart the workers.\n\nThe port is 8081.", **into),
    )
    first, second = (
        create_page(title=f"Backup {number}", body="Look at the log.", **into) for number in (1, 2)
    )
    merge = merge_pages(first, second, author=author)
    token, _ = create_token(robin, wiki, requests_per_minute=600)
    create_token(robin, wiki, Scope.FILE, timezone.now() + timedelta(days=30))
    create_token(robin, wiki, Scope.READ, timezone.now())
    handed = Handed("The runner needs two cores.", page=page.slug, source="ticket 7")
    file_insight(wiki, robin, handed, token=token)
    suggestion = _fence_in(into, robin)
    found = hand_out(
        RecallRequest(
            wiki, "Why does the runner run out of memory?", agent=robin, task="ticket 8", limit=2
        )
    )
    mark_page(Receipt.objects.get(pk=found.id), page, useful=True, author=Author.of_agent(robin))
    _invitation, secret = invite(wiki, owner, Role.EDITOR, 7, "for a colleague")
    join(others := Wiki.objects.create(slug="read-only", name="For others"), "wanda", Role.OWNER)
    create_page(others, title="Alone", body="All alone.", author=author)
    _join_too(owner, "read-only", Role.READER)
    Wiki.objects.create(slug="empty", name="Empty")
    _join_too(owner, "empty", Role.OWNER)
    *_, uid, token = make_reset_link(guest.user, owner).split("/")
    return Furnished(
        owner,
        {
            "wiki_slug": wiki.slug,
            "slug": page.slug,
            "name": picture.file_name,
            "secret": secret,
            "number": "2",
            "page_id": str(gone.pk),
            "member_id": str(guest.pk),
            "agent_id": str(robin.pk),
            "proposal_id": str(proposal.pk),
            "merge_id": str(merge.pk),
            "suggestion_id": str(suggestion.pk),
            "uidb64": uid,
            "token": token,
        },
        {
            f"suggestion, {each.kind}, {each.state}": each.get_absolute_url()
            for each in Suggestion.objects.all()
        },
    )


def _fence_in(into: dict[str, Any], robin: Agent) -> Suggestion:
    """A protected page with what an agent would do to it: waiting, in conflict, decided."""
    text = "The server has 8 cores.\n\nIt listens on port 8080."
    page = protect_page(create_page(title="Fenced", body=text, **into), author=into["author"])
    asks = {"title": "Fenced", "author": Author.of_agent(robin)}
    revise_or_suggest(page, 2, body=text.replace("8080", "9090"), **asks)
    page = revise_page(
        page, 2, title="Fenced", body=text.replace("8080", "7070"), author=into["author"]
    )
    reject(
        append_or_suggest(page, "It is slow.", author=asks["author"]),
        into["author"].user,
        "Measured: it is not.",
    )
    file_insight(
        into["wiki"],
        robin,
        Handed("It **restarts** on Sundays.", page=page.slug, source="ticket 9"),
    )
    trash_or_suggest(page, author=asks["author"])
    return revise_or_suggest(
        page, 3, body=page.body.replace("8 cores", "16 cores"), **asks, summary="measured"
    )


def _join_too(user: User, slug: str, role: Role) -> None:
    Wiki.objects.get(slug=slug).memberships.create(user=user, role=role)


def walk(
    visit: Callable[..., Screen], furnished: Furnished, **how: object
) -> Iterator[tuple[str, Screen]]:
    """Every screen by its name: those of strangers, those of people, and the states of screens."""
    screen = visit(**how)
    for name, address in furnished.of_strangers().items():
        yield name, _open(screen, address, 200)
    screen = visit(as_user=furnished.owner, **how)
    for name, address in furnished.of_people().items():
        yield name, _open(screen, address, 200)
    for name, address in furnished.more.items():
        yield name, _open(screen, address, 200)
    for name, (address, status) in STATES.items():
        yield name, _open(screen, address, status)


def _open(screen: Screen, address: str, status: int) -> Screen:
    answer = screen.goto(address)
    assert answer.status == status, address
    return screen


def assert_nothing_found(
    visit: Callable[..., Screen],
    furnished: Furnished,
    look: Callable[[Screen], list[str]],
    **how: object,
) -> None:
    found = {name: look(screen) for name, screen in walk(visit, furnished, **how)}
    assert len(found) > 50
    lines = [f"{name}: {problem}" for name, problems in found.items() for problem in problems]
    assert not lines, "\n".join(lines)
