"""Any page survives export and import."""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.support.thorough import pairs
from tests.support.writing import create_page
from wiki.files.import_export import import_folder
from wiki.models import Page, Wiki

TITLES = [
    "2024",
    "no",
    "null",
    "a: b",
    "- x",
    "'quoted\"",
    "#tag",
    "Straße — „so“",
    "{{ x }}",
    "[[",
    "\\n",
    "~",
]

BODIES = [
    "Text",
    "",
    "---\nkein: Kopf\n---\nText",
    "Zeile\n\n\n",
    "    Code\n",
    "# H\n\n---\n\nEnde",
]


@pytest.mark.parametrize(("title", "body"), pairs(TITLES, BODIES))
def test_any_page_survives_export_and_import(wiki, author, tmp_path, title, body):
    page = create_page(
        wiki, title=title, body=body, author=author, tags=["a b", "2024", "#x"], type="topic"
    )
    call_command("export_pages", str(tmp_path), wiki="ops", stdout=StringIO())
    assert [file.outcome for file in import_folder(wiki, tmp_path)] == ["unchanged"]
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    assert [file.outcome for file in import_folder(other, tmp_path)] == ["created"]
    copy = Page.objects.get(wiki=other)
    assert (copy.slug, copy.title, copy.tags, copy.type) == (
        page.slug,
        page.title,
        page.tags,
        page.type,
    )
    assert copy.body.strip("\n") == body.strip("\n")
