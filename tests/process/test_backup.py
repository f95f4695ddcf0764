"""An installation goes into one file and comes back out of it elsewhere, with real servers on
two data folders."""

import stat
import tarfile
from collections.abc import Iterator

import pytest

from tests.support.installation import Installation, installation


def say(made: Installation, code: str) -> str:
    """What this prints in its shell."""
    before = len(made.output())
    assert (
        made.run(
            "shell",
            "-v0",
            "-c",
            f"from wiki.models import *\nfrom wiki.indexing.lexemes import Query, all_of\n{code}",
        )
        == 0
    ), made.output()
    return made.output()[before:].strip()


WRITE = """
from wiki.pages.author import Author
from tests.support.writing import append_text, create_page
from wiki.accounts.wikis import ensure_wiki
wiki, _ = ensure_wiki("ops")
page = create_page(wiki, title="Übung", body="Erster Stand: größer.", tags=["a"], author=Author.maintenance())
append_text(page, "Zweiter Absatz.", author=Author.maintenance())
"""
READ = """
page = Page.objects.get(slug="übung")
print(page.body.split("\\n"), page.tags, [r.kind for r in page.revisions.order_by("number")], ApiToken.objects.count())
print(Page.objects.filter(words__lexemes=Query(all_of(page.wiki_id, "größer"))).count(), Page.objects.titled("Übung").count(), page.embed_model)
"""
FIND = "from wiki.agents.api_tokens import find_token\nprint(find_token({!r}).agent.name)"


@pytest.fixture
def covey(prepared: Installation) -> Iterator[Installation]:
    with installation(prepared) as made:
        yield made


def test_pages_histories_tokens_pictures_and_the_key_come_back_elsewhere(
    covey: Installation,
) -> None:
    say(covey, WRITE)
    before = len(covey.output())
    assert covey.run("create_token", "robin", "--wiki", "ops") == 0
    token = covey.output()[before:].split()[-1]
    (covey.home / "pictures/1").mkdir(parents=True)
    (covey.home / "pictures/1/a.png").write_bytes(b"picture")
    file = covey.folder / "covey.backup"
    assert covey.run("backup", str(file)) == 0, covey.output()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(path.name for path in covey.folder.iterdir()) == ["covey.backup", "log", "var"]
    with installation() as other:
        assert other.run("restore", str(file)) == 0, other.output()
        assert other.run("prepare", "--no-demo") == 0, other.output()
        assert "First admin" not in other.output()
        assert say(other, READ) == say(covey, READ)
        assert "Zweiter Absatz." in say(other, READ)
        assert say(other, FIND.format(token)) == "robin"
        assert say(other, WRITE.replace("Übung", "Noch eine")) == ""
        assert (other.home / "pictures/1/a.png").read_bytes() == b"picture"
        assert (other.home / "secret_key").read_text() == (covey.home / "secret_key").read_text()
        # A second time there is something to lose.
        assert other.run("restore", str(file)) == 1
        assert "There is something in this installation already." in other.output()


def test_what_would_write_over_something_or_is_no_backup_is_refused_and_leaves_nothing(
    empty: Installation,
) -> None:
    missing, noise, hollow = (empty.folder / name for name in ("missing", "noise", "hollow"))
    noise.write_bytes(b"x" * 20_000)
    tarfile.open(hollow, "w").close()
    for words, sentence in (
        (("restore", missing), "cannot be used"),
        (("restore", noise), "is no backup of covey"),
        (("restore", hollow), "hollow is no backup of covey"),
        (("backup", noise), "noise exists already"),
        (("backup", empty.folder / "nowhere/covey.backup"), "There is no folder"),
    ):
        assert empty.run(*map(str, words)) == 1
        assert sentence in empty.output()
    assert "Traceback" not in empty.output()
    assert (
        say(
            empty, "from django.db import connection; print(connection.introspection.table_names())"
        )
        == "[]"
    )
    assert not list(empty.home.glob(".covey-*"))
    assert noise.read_bytes() == b"x" * 20_000
