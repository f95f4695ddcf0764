"""What may be wrong with the pages of a wiki, as advice for those who look after it. Looking changes nothing."""

from wiki.findings.dead_links import Wanted, find_wanted, find_wanting, show_wanted
from wiki.findings.duplicates import Duplicates, find_duplicates, known_duplicates
from wiki.findings.kinds import STUB_CHARACTERS, Finding
from wiki.findings.namesakes import find_namesakes
from wiki.findings.stock import count_findings, pages_with

__all__ = [
    "Duplicates",
    "Finding",
    "STUB_CHARACTERS",
    "Wanted",
    "count_findings",
    "find_duplicates",
    "find_namesakes",
    "find_wanted",
    "find_wanting",
    "known_duplicates",
    "pages_with",
    "show_wanted",
]
