"""What somebody wrote on a page stays there, also where an agent's text is cleaned of secrets on
its way."""

import shutil

import pytest
from django.contrib.auth.models import User

from tests.suggestions.test_propose import accept_as_seen
from tests.support.api_client import ApiClient
from tests.support.folders import change, put, run, sync_with
from tests.support.screens import Write
from wiki.files.import_export import export_folder
from wiki.files.sync import Action
from wiki.models import Agent, Page, Suggestion, Wiki
from wiki.pages.author import Author
from wiki.pages.protect import protect_page
from wiki.suggestions.review import preview_change

KEY = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
OTHER = "ghp_zZ9yY8xX7wW6vV5uU4tT3sS2rR1qQ0pP9oO8"
TEXT = f"Token: {KEY}\n\nPort 80."


@pytest.fixture
def page(write: Write) -> Page:
    return write("Seite", TEXT)


def body(page: Page) -> str:
    return Page.objects.get(pk=page.pk).body.strip()


def test_an_agent_changes_another_line_and_adds_no_secret(page: Page, api: ApiClient) -> None:
    content = {
        "title": "Seite",
        "body": f"{TEXT.replace('80', '81')}\n\nNeu: {OTHER}",
        "base_revision": 1,
    }
    note = api.put("/pages/seite", content).json()["note"]
    assert body(page) == f"Token: {KEY}\n\nPort 81.\n\nNeu: [secret removed: GitHub token]"
    assert "GitHub token" in note
    content = {"title": "Seite", "body": body(page).replace("81", "82"), "base_revision": 2}
    assert "note" not in api.put("/pages/seite", content).json()


@pytest.mark.parametrize("is_agent", [True, False])
def test_a_line_of_a_synchronised_file_is_changed(
    page: Page, wiki: Wiki, agent: Agent, tmp_path, is_agent: bool
) -> None:
    author = Author.of_agent(agent) if is_agent else Author.maintenance()
    sync_with(wiki, tmp_path, author=author)
    file = tmp_path / "Seite.md"
    put(tmp_path, "Seite.md", file.read_text().replace("80", f"81, {OTHER}"))
    assert sync_with(wiki, tmp_path, author=author) == {"Seite.md": Action.REVISE}
    assert body(page) == f"Token: {KEY}\n\nPort 81, [secret removed: GitHub token]."
    shutil.rmtree(tmp_path / ".covey")
    put(tmp_path, "Seite.md", file.read_text().replace(OTHER, "[secret removed: GitHub token]"))
    assert sync_with(wiki, tmp_path, author=author) == {}


def test_an_export_is_changed_and_imported(page: Page, wiki: Wiki, tmp_path) -> None:
    list(export_folder(wiki, tmp_path))
    put(tmp_path, "seite.md", (tmp_path / "seite.md").read_text().replace("80", "81"))
    assert run(wiki, tmp_path)["seite.md"].outcome == "changed"
    assert body(page) == TEXT.replace("80", "81")


def test_what_was_shown_is_what_is_accepted(
    write: Write, api: ApiClient, author: Author, person: User
) -> None:
    page = protect_page(write("Runner", "Eins.\n\nZwei.\n\nDrei."), author=author)
    api.put(
        "/pages/runner", {"title": "Runner", "body": "Eins!\n\nZwei.\n\nDrei.", "base_revision": 2}
    )
    change(page, f"Eins.\n\nZwei.\n\nDrei.\n\n{TEXT}", author)
    shown = preview_change(Suggestion.objects.get()).fields
    accept_as_seen(Suggestion.objects.get(), person)
    assert shown is not None
    assert body(page) == shown.body == f"Eins!\n\nZwei.\n\nDrei.\n\n{TEXT}"


def test_no_secret_becomes_an_address_or_a_title(api: ApiClient, wiki: Wiki, tmp_path) -> None:
    token = "dop_v1_" + "0a1b2c3d4e5f6789" * 4
    answer = api.put(f"/pages/{token}", {"title": "Schlüssel", "body": "Text."}).json()
    assert "0a1b2c3d4e5f6789" not in answer["slug"]
    assert "note" in answer
    for folder, bring_in in ((tmp_path / "a", sync_with), (tmp_path / "b", run)):
        put(folder, f"{KEY}.md", "Text ohne Titel.")
        bring_in(wiki, folder)
    for page in Page.objects.all():
        assert KEY.lower() not in f"{page.title} {page.slug}".lower()
