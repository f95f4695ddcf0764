"""The demo wiki: pages of one operations team and two agents, so that every screen has something to
show."""

from pathlib import Path

from wiki.files.import_export import import_folder
from wiki.files.page_file import find_files
from wiki.insights.intake import Handed, file_insight
from wiki.models import Agent, AuthorKind, Wiki
from wiki.pages.author import Author

FOLDER = Path(__file__).parent

TEAM = Author(AuthorKind.PERSON, "Betriebsteam")
# Every other page is the team's.
PAGES_BY_AGENT = {
    "robin": {"bildspeicher-voll", "dns-cache-keeps-the-old-address", "restart-the-queue-workers"},
    "wren": {"rechnungsmails-verspätet", "workers-keep-the-old-password"},
}
# Agent, page, text, source: filed onto pages that people wrote. None onto the running example: a
# block carries the day of its filing, and what that page has in common with the ticket must not
# depend on the day.
INSIGHTS = (
    (
        "robin",
        "runner",
        "Bei „no space left on device“ zuerst Bildspeicher leeren, "
        "ein Neustart allein hilft nicht.",
        "ticket-1042",
    ),
    (
        "wren",
        "log-store",
        "Retention below seven days breaks the weekly report; it reads one full week.",
        "ticket-1077",
    ),
)


def load_demo_wiki() -> Wiki:
    """Makes the demo wiki. Called once, on an empty database."""
    wiki = Wiki.objects.create(
        slug="demo",
        name="Betrieb",
        description="Demo wiki of an operations team, in German and English.",
    )
    agents = {
        name: Agent.objects.get_or_create(name=name, defaults={"home_wiki": wiki})[0]
        for name in PAGES_BY_AGENT
    }
    for name, slugs in PAGES_BY_AGENT.items():
        _import(
            wiki,
            [path for path in find_files(FOLDER) if path.stem in slugs],
            Author.of_agent(agents[name]),
        )
    _import(wiki, find_files(FOLDER), TEAM)
    for name, page, text, source in INSIGHTS:
        file_insight(wiki, agents[name], Handed(text, page=page, source=source))
    return wiki


def _import(wiki: Wiki, files: list[Path], author: Author) -> None:
    for file in import_folder(wiki, FOLDER, files, author):
        if file.problem:
            raise AssertionError(f"The demo page {file.path.name} is broken: {file.problem}")
