"""What people may type into a search breaks none of them."""

import pytest
from django.test import Client

from tests.support.screens import HOSTILE, Write
from tests.support.thorough import pairs

# What makes queries, patterns and addresses stumble.
HOSTILE_QUERIES = [
    *[
        "%",
        "_",
        "%_%",
        "'",
        "''",
        '"',
        '""',
        '"" ""',
        "\\",
        "\\'",
        '"\\"',
        "(",
        ")",
        "[",
        "{1}",
        "*",
        "a*",
        "!",
        "&",
        "|",
    ],
    *[
        "x:* | & !",
        "'a':*",
        "a:b",
        "<->",
        "\x00",
        "a\x00b",
        "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    ],
    *[
        "שלום עולם",
        "\u202eabc",
        "日本語",
        "²½",
        "𝔘𝔫𝔦",
        "a" * 20_000,
        "a " * 10_000,
        '"' + "a " * 5_000 + '"',
        '"a" ' * 2_000,
    ],
    *[
        "type:",
        "tag:",
        "type:nothing",
        "tag:'",
        "tag:%",
        "type:problem",
        ";DROP TABLE wiki_page",
        "{{ 7*7 }}",
        HOSTILE,
    ],
]


ADDRESSES = ["/find", "/find/ops", "/search", "/w/ops/search", "/w/ops/titles/links"]


@pytest.mark.parametrize(
    ("address", "query"), pairs(ADDRESSES, HOSTILE_QUERIES), ids=lambda value: ascii(value[:14])
)
def test_no_query_breaks_anything(browser: Client, write: Write, address: str, query: str) -> None:
    write("Runner", "a b and free", tags=["ci"], type="problem")
    answer = browser.get(address, {"q": query})
    assert answer.status_code == 200
    assert HOSTILE.encode() not in answer.content
