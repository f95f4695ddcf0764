"""A wiki, an agent with tokens, and a person: what most tests begin with."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.api_client import ApiClient
from tests.support.installation import Installation, installation
from tests.support.writing import create_page
from wiki.agents.api_tokens import create_token
from wiki.models import Agent, Membership, Page, Role, Scope, Wiki
from wiki.pages.author import Author


@pytest.fixture
def wiki(db: None) -> Wiki:
    return Wiki.objects.create(slug="ops", name="Betrieb")


@pytest.fixture
def agent(wiki: Wiki) -> Agent:
    return Agent.objects.create(name="robin", home_wiki=wiki)


@pytest.fixture
def person(wiki: Wiki) -> User:
    """An editor of the wiki."""
    pat = User.objects.create_user("pat", password="correct horse battery")
    Membership.objects.create(wiki=wiki, user=pat, role=Role.EDITOR)
    return pat


@pytest.fixture
def author(person: User) -> Author:
    return Author.person(person)


@pytest.fixture
def api(agent: Agent, wiki: Wiki) -> ApiClient:
    return ApiClient(create_token(agent, wiki)[1])


@pytest.fixture
def reader(agent: Agent, wiki: Wiki) -> ApiClient:
    return ApiClient(create_token(agent, wiki, Scope.READ)[1])


@pytest.fixture
def stranger(db: None) -> ApiClient:
    elsewhere = Wiki.objects.create(slug="elsewhere", name="Anderswo")
    return ApiClient(
        create_token(Agent.objects.create(name="olaf", home_wiki=elsewhere), elsewhere)[1]
    )


@pytest.fixture
def write(wiki: Wiki, author: Author) -> Callable[..., Page]:
    """Makes a page: write("Title", "Body", slug=…)"""

    def make(title: str, body: str = "", **more: object) -> Page:
        return create_page(wiki, title=title, body=body, author=author, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def prepared() -> Iterator[Installation]:
    """One that is prepared and not running, to be copied: installation(prepared)."""
    with installation() as made:
        assert made.run("prepare", "--no-demo") == 0, made.output()
        yield made


@pytest.fixture
def empty() -> Iterator[Installation]:
    """A data folder of its own in which covey has not run yet."""
    with installation() as made:
        yield made


@pytest.fixture
def author_of_threads(transactional_db: None) -> tuple[Wiki, Author]:
    """A wiki and an author whose rows other threads can see."""
    wiki = Wiki.objects.create(slug="ops", name="Betrieb")
    return wiki, Author.of_agent(Agent.objects.create(name="robin", home_wiki=wiki))


@pytest.fixture
def browser(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


@pytest.fixture
def staff(person: User, wiki: Wiki) -> Client:
    """Somebody of the staff, an owner of the wiki."""
    client, mira = Client(), User.objects.create_user("mira", is_staff=True)
    Membership.objects.create(wiki=wiki, user=mira, role=Role.OWNER)
    client.force_login(mira)
    return client
