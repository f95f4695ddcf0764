"""Links by the path of a file, as Obsidian writes them where a name alone may not do."""

import pytest

from tests.support.folders import change, put, run, sync_with
from wiki.files.sync import Action
from wiki.models import Link, Page


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vault"


def body_of(slug):
    return Page.objects.get(slug=slug).body.strip("\n")


def dead_links():
    return set(Link.objects.filter(resolved_page=None).values_list("target_text", flat=True))


def test_a_link_by_the_path_of_a_file_finds_the_page_it_became(wiki, folder):
    put(folder, "sub/Gamma.md", "# Drittes\n\nText.")
    put(folder, "sub/deep/Ärger im Netz.md", "---\nslug: trouble\n---\nText mit [[../Gamma]].")
    put(
        folder,
        "Start.md",
        "[[sub/Gamma|label]] [[sub/Gamma#Heading]] [[Sub/gamma.md]] ![[sub/Gamma]] [[deep/Ärger im "
        "Netz|x]] "
        "`[[sub/Gamma]]` [[CI/CD]] [[sub/Nowhere]]\n\n|a|b|\n|-|-|\n|[[sub/Gamma\\|in a cell]]|b|",
    )
    put(folder, "CD.md", "Not meant.")
    run(wiki, folder)
    assert body_of("start") == (
        "[[Gamma|label]] [[Gamma#Heading]] [[Gamma]] ![[Gamma]] [[trouble|x]] "
        "`[[sub/Gamma]]` [[CI/CD]] [[sub/Nowhere]]\n\n|a|b|\n|-|-|\n|[[Gamma\\|in a cell]]|b|"
    )
    assert body_of("trouble") == "Text mit [[Gamma]]."
    assert dead_links() == {"CI/CD", "sub/Nowhere"}
    assert {file.outcome for file in run(wiki, folder).values()} == {"unchanged"}


def test_of_two_files_with_one_address_each_is_found(wiki, folder):
    put(folder, "one/Gamma.md", "Eins.")
    put(folder, "two/Gamma.md", "Zwei.")
    put(folder, "Start.md", "[[one/Gamma]] [[two/Gamma]]")
    run(wiki, folder)
    assert body_of("start") == "[[Gamma]] [[two-gamma]]"


def test_what_was_imported_before_is_mended_unless_somebody_wrote_on_it(wiki, folder, author):
    for name in ("Alt", "Bearbeitet"):
        put(folder, f"{name}.md", "Siehe [[sub/Gamma]].")
    run(wiki, folder)
    page = Page.objects.get(slug="bearbeitet")
    change(page, "Siehe [[sub/Gamma]]. Wort eines Menschen.", author)
    put(folder, "sub/Gamma.md", "Text.")
    outcomes = {name: file.outcome for name, file in run(wiki, folder).items()}
    assert outcomes == {
        "Alt.md": "changed",
        "Bearbeitet.md": "unchanged",
        "sub/Gamma.md": "created",
    }
    assert body_of("alt") == "Siehe [[Gamma]]."
    assert "Wort eines Menschen." in body_of("bearbeitet")


def test_a_synchronised_file_keeps_the_paths_in_its_links(wiki, folder, author):
    put(folder, "sub/Gamma.md", "Text.")
    put(
        folder,
        "Start.md",
        "Siehe [[sub/Gamma|label]].\n\n|a|\n|-|\n|[[sub/Gamma\\|cell]]|\n\nEnde.\n",
    )
    sync_with(wiki, folder)
    page = Page.objects.get(slug="start")
    assert "[[Gamma|label]]" in page.body
    assert not dead_links()
    change(page, page.body.replace("Ende", "Anders [[Gamma]]"), author)
    assert sync_with(wiki, folder) == {"Start.md": Action.WRITE}
    written = (folder / "Start.md").read_text()
    assert (
        "Siehe [[sub/Gamma|label]].\n\n|a|\n|-|\n|[[sub/Gamma\\|cell]]|\n\nAnders [[Gamma]].\n"
        in written
    )
    assert sync_with(wiki, folder) == {}
    put(folder, "Start.md", written.replace("Anders", "Ganz anders"))
    assert sync_with(wiki, folder) == {"Start.md": Action.REVISE}
    assert "sub/" not in body_of("start")
