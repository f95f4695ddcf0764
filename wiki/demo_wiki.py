"""The demo wiki: pages of one operations team, so that every screen has something to show."""

from pathlib import Path

from wiki.files import import_folder
from wiki.models import Wiki

FOLDER = Path(__file__).parent / "demo"


def load_demo_wiki() -> Wiki:
    """Makes the demo wiki. Called once, on an empty database."""
    wiki = Wiki.objects.create(
        slug="demo", name="Betrieb", description="Demo wiki of an operations team, in German and English."
    )
    for file in import_folder(wiki, FOLDER):
        if file.problem:
            raise AssertionError(f"The demo page {file.path.name} is broken: {file.problem}")
    return wiki
