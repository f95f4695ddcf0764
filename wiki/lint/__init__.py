"""What may be wrong with the pages of a wiki, as advice for those who look after it. Looking
changes nothing."""

from wiki.lint.dead_links import WantedPage, find_wanted, find_wanting, show_wanted
from wiki.lint.duplicates import Duplicates, find_duplicates, known_duplicates
from wiki.lint.page_rules import count_findings, pages_with
from wiki.lint.rules import STUB_CHARACTERS, Finding
from wiki.lint.same_titles import find_same_titles

__all__ = [
    "Duplicates",
    "Finding",
    "STUB_CHARACTERS",
    "WantedPage",
    "count_findings",
    "find_duplicates",
    "find_same_titles",
    "find_wanted",
    "find_wanting",
    "known_duplicates",
    "pages_with",
    "show_wanted",
]
