"""Where sentences end, for reading and for taking texts apart."""

import pytest

from wiki.text.sentences import ends_sentence, find_ends, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "It takes approx. 5 minutes. Then it runs.",
            ["It takes approx. 5 minutes.", "Then it runs."],
        ),
        (
            "Am 3. März wird umgezogen. Danach ist Ruhe.",
            ["Am 3. März wird umgezogen.", "Danach ist Ruhe."],
        ),
        ("Port 80. Mailserver sind aus.", ["Port 80.", "Mailserver sind aus."]),
        ("See no. 5. It says no. Then stop.", ["See no. 5.", "It says no.", "Then stop."]),
        (
            "Logs, Spuren usw. liegen hier usw. Danach nicht.",
            ["Logs, Spuren usw. liegen hier usw.", "Danach nicht."],
        ),
        ('He said "stop." Really?! Yes…', ['He said "stop."', "Really?!", "Yes…"]),
        ("no sentence", ["no sentence"]),
    ],
)
def test_a_dot_ends_a_sentence_unless_it_belongs_to_a_word(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    "text", ["It runs on CI. Then it stops.", "See no. Then stop.", "Nr. Fünf", "bis max. Ende"]
)
def test_a_text_is_not_taken_apart_where_the_sentence_may_go_on(text):
    assert split_sentences(text, is_strict=True) == [text]


def test_a_sentence_is_certain_to_end_only_behind_a_word():
    assert ends_sentence("Always rebase.")
    assert ends_sentence("He said “stop.”")
    assert not any(
        map(ends_sentence, ["", "rebase", "on port 80.", "with Dr.", "on CI.", "see etc."])
    )


@pytest.mark.parametrize("text", ["." * 200_000 + "x", '."' * 100_000, "x" * 200_000 + "."])
def test_a_long_run_has_at_most_one_end(text):
    assert len(list(find_ends(text))) <= 1
