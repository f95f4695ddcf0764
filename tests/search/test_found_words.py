"""What stands on a page is found by its words: in recall by words and by both ways, on the search
page, and while somebody types."""

import pytest

from tests.support.search import recall
from wiki.models import Wiki
from wiki.search.matcher import Matcher
from wiki.search.retrieval import Mode
from wiki.search.site_search import find, find_instantly

BY_WORDS = (Mode.KEYWORD, Mode.HYBRID)


def first_everywhere(wiki: Wiki, query: str) -> set[str]:
    """The title of the first hit of each way."""
    hits = [recall(wiki, query, mode=mode).hits for mode in BY_WORDS]
    hits += [find([wiki], query).hits, find_instantly([wiki], query).hits]
    return {found[0].page.title if found else "" for found in hits}


FILLING = " ".join(f"filler{n % 97} word" for n in range(300))


@pytest.mark.parametrize(
    "text",
    [
        "„Neustart“ hilft immer.",
        "Erst der «Neustart», dann warten.",
        "Hilft oft: “Neustart”…",
        "Ein ‚Neustart‘ hilft.",
        "Warten–Neustart–warten",
        "Dann → Neustart •",
        "Der\u00a0Neustart\u00a0hilft.",
        "§Neustart° kostet 5€",
    ],
)
def test_a_word_is_found_whatever_sign_touches_it(write, wiki, text):
    for number in range(6):
        write(f"Andere {number}", "Rechnungen an Kunden.")
    write("Zeile", text)
    assert first_everywhere(wiki, "Neustart") == {"Zeile"}
    assert first_everywhere(wiki, "neustart?") == {"Zeile"}


@pytest.mark.parametrize(
    "query",
    [
        "port 8471",
        "Which service uses port 8471?",
        "error 0x80070005",
        "PR #482",
        "RFC 2324",
        "8471 port error",
    ],
)
def test_a_rare_word_says_more_than_common_ones(write, wiki, query):
    for number in range(8):
        write(f"Short {number}", f"The port of service {number}: an error, a PR, an RFC.")
    write(
        "Long",
        f"{FILLING} It listens on port 8471 and says error 0x80070005, see PR #482 and RFC 2324. "
        f"{FILLING}",
    )
    assert first_everywhere(wiki, query) == {"Long"}


@pytest.fixture
def inventory(write):
    for number in range(6):
        write(f"Team {number}", f"The srv team {number} meets on day {number}.")
    rows = [f"| srv-{n:03} | 10.1.{n // 100}.{n % 100} |" for n in range(400)]
    return write("Inventory", "\n".join(["| Host | Address |", "|---|---|", *rows]))


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("srv-256", "| srv-256 | 10.1.2.56 |"),
        ("srv-399", "| srv-399 | 10.1.3.99 |"),
        ("address of srv-317", "| srv-317 | 10.1.3.17 |"),
        ("10.1.1.67", "| srv-167 | 10.1.1.67 |"),
    ],
)
def test_a_row_of_a_long_table_is_found_and_shown_with_the_head(inventory, wiki, query, row):
    assert first_everywhere(wiki, query) == {"Inventory"}
    matcher = Matcher(query)
    shown = matcher.cut(inventory.body, 1000)
    assert row in shown
    assert "| Host | Address |" in shown
    excerpt = matcher.snippet_of_page(inventory.body)
    assert " · ".join(cell.strip() for cell in row.strip("|").split("|")) in excerpt
    assert "Host · Address" in excerpt


def test_the_line_of_a_rare_word_is_shown(write, wiki):
    lines = "\n".join(f"- What term{n} means: the meaning of number {n}." for n in range(300))
    page = write("Glossary", lines)
    assert "term231 means" in Matcher("What does term231 mean?").snippet_of_page(page.body)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Der Datenbankserverneustart dauert lang.", "Datenbank"),
        ("Der Datenbankserverneustart dauert lang.", "Neustart"),
        ("Der Datenbankserverneustart dauert lang.", "Server"),
        ("Die Datenbank ist langsam.", "Datenbankneustart"),
        ("Siehe https://git.example.org/ops/deploy-tool/issues/42", "deploy-tool"),
        ("Der Rechner db-07.intern.example.org", "db-07"),
        ("Frag anna.meier@firma.example", "meier"),
        ("Erreichbar unter 10.0.0.5", "10.0.0.5"),
        ("Wir nehmen node.js dafür.", "node.js"),
        ("三楼的标签打印机经常卡纸，需要更换搓纸轮。", "搓纸轮"),
        ("三楼的标签打印机经常卡纸，需要更换搓纸轮。", "打印机"),
        ("데이터베이스서버 재시작", "베이스서버"),
    ],
)
def test_parts_of_words_and_names_are_found(write, wiki, text, query):
    for number in range(6):
        write(f"Andere {number}", "Rechnungen an Kunden, mit Mahnung und Skonto.")
    write("Zeile", text)
    assert first_everywhere(wiki, query) == {"Zeile"}


def test_the_last_line_of_a_long_text_is_found(write, wiki):
    for number in range(6):
        write(f"Other {number}", "Keys and doors of the house, and where they are kept.")
    page = write("Moving", f"{FILLING * 6}\n\nThe attic key hangs behind the boiler.")
    assert len(page.body) > 8000
    assert first_everywhere(wiki, "boiler attic") == {"Moving"}
    assert recall(wiki, "Where does the attic key hang?", mode=Mode.HYBRID).hits[0].page == page


def test_any_of_the_words_is_enough_while_somebody_types(write, wiki):
    write("Complaints", "The mail came late, and the customer was angry.")
    write("Backup", "The disk is full each night.")
    write("Pipeline", "What to do when it is red.")
    titles = [hit.page.title for hit in find_instantly([wiki], "mail late customer").hits]
    assert titles == ["Complaints"]
    assert find_instantly([wiki], "disk full nigh").hits[0].page.title == "Backup"
    assert find_instantly([wiki], "pipline").suggestion == "pipeline"
    assert find_instantly([wiki], "pipel").hits[0].page.title == "Pipeline"
