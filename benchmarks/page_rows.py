"""Pages for a benchmark, put into the table without the rules that would embed them one by one."""

from collections.abc import Sequence

from wiki.indexing.words import BATCH, keep_all_words
from wiki.models import Page, Wiki
from wiki.text.cleaning import hash_page_text


def make_rows(wiki: Wiki, texts: Sequence[str]) -> list[Page]:
    """Not saved yet, and stale."""
    return [
        Page(
            wiki=wiki,
            slug=f"seite-{number}",
            title=f"Seite {number}",
            title_key=f"seite {number}",
            body=text,
            revision=1,
            text_hash=hash_page_text(f"Seite {number}", text),
        )
        for number, text in enumerate(texts)
    ]


def insert_rows(rows: Sequence[Page]) -> None:
    """Put the pages into the table with the words that they are found by."""
    Page.objects.bulk_create(rows, batch_size=1000)
    # In transactions of their own: the count of a term that is on every page changes with each.
    for start in range(0, len(rows), BATCH):
        keep_all_words(rows[start : start + BATCH])
