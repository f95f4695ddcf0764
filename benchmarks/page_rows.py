"""Pages for a benchmark, put into the table without the rules that would embed them one by one."""

from collections.abc import Sequence

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
