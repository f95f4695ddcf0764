"""What a text is found by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiki.text.terms import count_terms, find_words, is_stop, term_of

# A text, and what finds it.
FINDS = {
    "„Neustart“ hilft immer": ["Neustart"],
    "«Neustart» …Neustart… –Neustart— →Neustart •Neustart": ["neustart"],
    "kostet 5€ nach §12 bei 20° so’n ‚Wort‘": ["5", "12", "20", "Wort"],
    "a\u00a0no-break\u202fblank": ["break", "blank"],
    "/etc/nginx/nginx.conf": ["nginx.conf", "nginx", "etc/nginx"],
    "path/to/readme.md": ["readme.md", "readme"],
    "https://git.example.org/ops/deploy-tool/issues/42": ["deploy-tool", "git.example.org", "42"],
    "db-07.intern.example.org": ["db-07", "intern.example.org"],
    "anna.meier@firma.example": ["meier", "Meier", "firma.example", "anna.meier"],
    "v2.4.7-hotfix": ["2.4.7", "v2.4.7", "hotfix"],
    "OPS-4711": ["4711", "ops-4711"],
    "und/oder": ["oder"],
    "ein-/ausschalten": ["ausschalten", "ausschaltet"],
    "Soft\u00adhyphen": ["Softhyphen"],
    "zero\u200bwidth": ["zerowidth"],
    "ﬁnanzen Ｆｕｌｌ ①": ["finanzen", "full", "1"],
    "Übung Größe": ["uebung", "ubung", "ÜBUNG", "groesse", "grosse", "Größen"],
    "Uebung": ["Übung", "ubung"],
    "e\u0301te\u0301 migração": ["été", "ete", "migracao"],
    "Datenbanken": ["Datenbank"],
    "restarting services": ["restart", "service", "restarted"],
    "HashEmbedder snake_case_name": ["hash", "embedder", "hashembedder", "case", "snake_case"],
    "10.0.0.5:8080": ["10.0.0.5", "8080"],
    "C++ and C#": ["c++", "C#", "c"],
    "node.js": ["node", "js", "Node.js"],
    "error 0x80070005": ["0x80070005", "80070005"],
    "PR #482, RFC 2324": ["#482", "482", "rfc", "2324"],
    "Meier’s Drucker": ["Meier", "meiers'"],
    "三楼的标签打印机经常卡纸，需要更换搓纸轮。": ["搓纸轮", "打印机", "纸"],
    "데이터베이스서버": ["베이스", "서버"],
    "เครื่องพิมพ์ฉลากกระดาษติด": ["กระดาษ"],
    "データベースが壊れた": ["ベース"],
    "ﾃﾞｰﾀ": ["データ"],
    "हिन्दी": ["हिन्दी"],
}


@pytest.mark.parametrize(
    ("text", "query"), [(text, query) for text, queries in FINDS.items() for query in queries]
)
def test_a_text_is_found_by_its_words_names_and_their_parts(text: str, query: str) -> None:
    said = count_terms(text)[0]
    asked = [word.terms for word in find_words(query)]
    assert asked
    for terms in asked:
        assert any(term in said for term, _ in terms), (asked, said)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("notes", "not"),
        ("C#", "C++"),
        ("10.0.0.5", "10.0.0.6"),
        ("v2.4.7", "v2.4.8"),
        ("backup", "back"),
    ],
)
def test_other_words_and_names_are_other_terms(text: str, query: str) -> None:
    [word] = find_words(text)
    [other] = find_words(query)
    assert word.terms[0][0] != other.terms[0][0]


def test_small_words_of_both_languages_say_nothing() -> None:
    terms = count_terms("the und Über FÜR which weil")[0]
    assert all(is_stop(term) for term in terms)
    assert not is_stop(term_of("neustart"))


@given(st.text(max_size=200))
def test_any_text_is_read_and_words_stand_where_they_say(text: str) -> None:
    for word in find_words(text):
        assert 0 <= word.start < word.end <= len(text)
        assert word.terms
        assert all(term and weight > 0 for term, weight in word.terms)


@pytest.mark.parametrize(
    "sign", ["a.", "-", "a", "A", "1", "'", "a#", "ａ", "\u0301", "日", "_", "aB"]
)
def test_twice_the_text_takes_no_more_than_twice_the_steps(sign: str) -> None:
    assert len(list(find_words(sign * 20_000))) <= 20_000
