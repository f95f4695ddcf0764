"""`evaluate` and `export_marks`: how well recall finds what it should, by questions with known
answers."""

import json

import pytest
from django.core.management import CommandError, call_command

from embeddings.client import EmbeddingError
from tests.recall.test_feedback import mark
from tests.recall.test_log import ask
from wiki.merging.merge import merge_pages
from wiki.models import Receipt
from wiki.pages.rename import rename_page
from wiki.pages.trash import trash_page
from wiki.recall.evaluation import Answer, Case, Unusable, answer_case, read_cases, sum_up
from wiki.recall.questions import keep_question
from wiki.search.retrieval import Mode


@pytest.fixture
def stock(write):
    write("Pipeline rot", "Wenn die Pipeline rot ist: das Joblog ansehen.")
    write("Runner", "Der Runner baut im Keller.")
    return [
        write(f"Rechnung {number}", f"Rechnungen an Kunden, Mappe {number}.")
        for number in range(12)
    ]


@pytest.fixture
def evaluate(tmp_path, capsys):
    def run(*lines, **options):
        file = tmp_path / "fragen.jsonl"
        file.write_text(
            "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        )
        call_command("evaluate", str(file), wiki="ops", **options)
        return capsys.readouterr()

    return run


def line(query, expected):
    return {"query": query, "expected": expected}


# -- the figures


@pytest.mark.parametrize(
    ("places", "expected", "at", "reciprocal"),
    [
        ([1], 1, (1, 1, 1), 1),
        ([5], 1, (0, 1, 1), 1 / 5),
        ([6], 1, (0, 0, 1), 1 / 6),
        ([10], 1, (0, 0, 1), 1 / 10),
        ([], 1, (0, 0, 0), 0),
        ([1, 2], 2, (1, 1, 1), 1),
        ([2], 2, (0, 0.5, 0.5), 1 / 2),
        ([3, 7], 4, (0, 1 / 4, 2 / 4), 1 / 3),
    ],
)
def test_recall_is_the_share_of_the_expected_and_the_rank_that_of_the_first(
    places, expected, at, reciprocal
):
    answer = Answer(places, expected, 0.001)
    assert tuple(answer.found_within(place) for place in (1, 5, 10)) == pytest.approx(at)
    assert answer.reciprocal_rank == pytest.approx(reciprocal)


def test_all_questions_weigh_the_same_and_latency_is_in_milliseconds(db):
    found = sum_up(Mode.VECTOR, [Answer([1], 1, 0.002), Answer([], 3, 0.004), Answer([2], 1, 0.1)])
    assert found.recall_at == pytest.approx({1: 1 / 3, 5: 2 / 3, 10: 2 / 3})
    assert found.reciprocal_rank == pytest.approx(0.5)
    assert (found.median, found.slowest_twentieth) == pytest.approx((4, 100))


# -- the command


def test_it_says_how_often_the_expected_page_came_first(stock, evaluate):
    out = evaluate(
        line("wenn die Pipeline rot ist", "pipeline-rot"),
        line("Der Runner baut", ["runner"]),
        "",
        {**line("Der CI-Build schlägt fehl", ["pipeline-rot", "gibt-es-nicht"]), "lang": "de"},
        json=True,
    )
    figures = json.loads(out.out)
    assert (figures["wiki"], figures["mode"], figures["model"]) == (
        "ops",
        "hybrid",
        "builtin:hash:256",
    )
    assert (figures["queries"], figures["unknown_pages"]) == (3, 1)
    assert figures["recall@1"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["recall@1"] <= figures["recall@5"] <= figures["recall@10"]
    assert figures["mrr"] >= figures["recall@1"]
    assert figures["latency_ms"]["p95"] >= figures["latency_ms"]["median"] > 0
    assert "gibt-es-nicht" in out.err


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_can_be_measured(stock, evaluate, mode):
    figures = json.loads(evaluate(line("Runner", "runner"), mode=mode.value, json=True).out)
    assert (figures["mode"], figures["recall@1"]) == (mode.value, 1)


def test_for_people_it_is_a_short_table(stock, evaluate):
    out = evaluate(line("Runner", "runner")).out
    assert out.splitlines()[0] == "1 query in ops, by hybrid, builtin:hash:256"
    assert [row.split()[0] for row in out.splitlines()[1:]] == [
        "recall@1",
        "recall@5",
        "recall@10",
        "mrr",
        "latency",
    ]


def test_what_was_renamed_or_merged_since_still_counts(stock, evaluate, author):
    rename_page(stock[3], 1, title="Mahnung", author=author)
    merge_pages(stock[0], stock[1], author=author)
    out = evaluate(
        line("Mahnung", "rechnung-3"), line("Mappe 1", ["rechnung-0", "rechnung-1"]), json=True
    )
    assert json.loads(out.out)["recall@5"] == 1
    assert out.err == ""


def test_it_keeps_no_receipts(stock, evaluate):
    evaluate(line("Runner", "runner"))
    assert Receipt.objects.count() == 0


def test_a_question_that_a_page_is_also_asked_as_does_not_count_for_itself(stock, evaluate, author):
    page = stock[0]
    keep_question(page, "Der CI-Build schlägt fehl", author=author)
    [same, near] = (
        json.loads(evaluate(line(query, page.slug), json=True).out)["recall@1"]
        for query in ("der CI-Build schlägt fehl!", "Der CI-Build schlägt heute fehl")
    )
    assert (same, near) == (0, 1)


def test_with_the_provider_away_nothing_is_measured(stock, evaluate, monkeypatch):
    def away(query):
        raise EmbeddingError("The service does not answer.", permanent=False)

    monkeypatch.setattr("wiki.search.retrieval.embed_query", away)
    with pytest.raises(CommandError, match="does not answer"):
        evaluate(line("Runner", "runner"))
    with pytest.raises(Unusable):
        answer_case(stock[0].wiki, Case("Runner", ["runner"]), Mode.HYBRID)
    assert evaluate(line("Runner", "runner"), mode="keyword").out


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("{", "Line 2"),
        ("[1]", "Line 2"),
        ("7", "Line 2"),
        ('{"query": "x"}', "Line 2"),
        ('{"query": "", "expected": "x"}', "line 2"),
        ('{"query": 7, "expected": "x"}', "line 2"),
        ('{"query": "x", "expected": []}', "line 2"),
        ('{"query": "x", "expected": [7]}', "line 2"),
        ('{"query": "x", "expected": {"a": 1}}', "line 2"),
        ("[" * 100_000, "Line 2"),
    ],
)
def test_a_line_that_is_none_is_named(stock, evaluate, bad, words):
    with pytest.raises(CommandError, match=words):
        evaluate(line("Runner", "runner"), bad)


def test_a_file_that_is_missing_empty_or_no_text_is_named(wiki, tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("evaluate", str(tmp_path / "nirgends"), wiki="ops")
    empty, binary = tmp_path / "leer", tmp_path / "binär"
    empty.write_text("\n\n")
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="no line"):
        call_command("evaluate", str(empty), wiki="ops")
    with pytest.raises(CommandError, match="UTF-8"):
        call_command("evaluate", str(binary), wiki="ops")


@pytest.mark.parametrize("command", [["evaluate", "x"], ["export_marks"]])
def test_a_wiki_that_is_not_there_is_named(wiki, command):
    with pytest.raises(CommandError, match="Wikis: ops"):
        call_command(*command, wiki="nirgends")


# -- marks become questions


@pytest.fixture
def export(capsys):
    def run():
        call_command("export_marks", wiki="ops")
        return [json.loads(row) for row in capsys.readouterr().out.splitlines()]

    return run


def test_useful_marks_become_lines_for_evaluate(api, stock, export, evaluate):
    first, second = ask(api, "Wer baut?"), ask(api, "Wohin gehen Rechnungen?")
    mark(api, first, "runner")
    mark(api, second, "rechnung-0")
    mark(api, second, "rechnung-1")
    mark(api, second, "rechnung-2", useful=False)
    lines = export()
    assert lines == [
        line("Wer baut?", "runner"),
        line("Wohin gehen Rechnungen?", ["rechnung-0", "rechnung-1"]),
    ]
    assert json.loads(evaluate(*lines, json=True).out)["queries"] == 2


def test_the_same_question_is_one_line_and_outlives_its_recall(api, stock, export, author):
    mark(api, ask(api, "Wer baut?"), "runner")
    mark(api, ask(api, "wer BAUT"), "pipeline-rot")
    assert export() == [line("Wer baut?", ["runner", "pipeline-rot"])]
    Receipt.objects.all().delete()
    assert [sorted(row["expected"]) for row in export()] == [["pipeline-rot", "runner"]]


def test_only_kept_texts_are_exported(api, stock, export, settings):
    settings.COVEY_RECALL_TEXT = "hash"
    mark(api, ask(api, "Wer baut?"), "runner")
    assert export() == []


def test_a_merged_page_is_named_by_its_survivor_and_one_in_the_trash_not_at_all(
    api, stock, export, author
):
    found = ask(api, "Wohin gehen Rechnungen?")
    for number in (0, 1, 2):
        mark(api, found, f"rechnung-{number}")
    merge_pages(stock[0], stock[1], author=author)
    trash_page(stock[2], author=author)
    assert export() == [line("Wohin gehen Rechnungen?", "rechnung-0")]


def test_nothing_of_another_wiki_is_exported(api, stranger, stock, export):
    assert (
        stranger.put("/pages/geheim", {"title": "Geheim", "body": "Geheimtext"}).status_code == 201
    )
    mark(stranger, ask(stranger, "Was ist geheim?"), "geheim")
    assert export() == []


def test_lines_are_read_whatever_stands_around_them():
    rows = [
        '{"query": " a ", "expected": "x", "lang": "de"}\n',
        "\n",
        '{"query": "b", "expected": ["x", "x", "y"]}',
    ]
    assert list(read_cases(rows)) == [Case(" a ", ["x"]), Case("b", ["x", "y"])]
