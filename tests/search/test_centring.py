"""What is common to all questions is taken out, once there are enough."""

import numpy as np
import pytest

from embeddings.client import active_fingerprint
from embeddings.hash_embedder import hash_text
from tests.support.search import recall
from wiki.models import Centre, Wiki
from wiki.recall.questions import keep_question
from wiki.recall.service import hand_out
from wiki.search import centring
from wiki.search.centring import compare_centred, find_centre, learn_question
from wiki.search.retrieval import Mode, RecallRequest

OPENING = "please tell me what is known in this wiki about the thing that is called"


def ask(wiki: Wiki, *names: str, mode: Mode = Mode.VECTOR):
    for name in names:
        found = hand_out(RecallRequest(wiki, f"{OPENING} {name}", mode=mode))
    return found


def centre_of(wiki: Wiki) -> Centre | None:
    return find_centre([wiki.pk], active_fingerprint())


def test_questions_are_learnt_from_whatever_is_kept_of_them(write, wiki, settings):
    settings.COVEY_RECALL_DAYS = 0
    write("Pump", "The pump.")
    ask(wiki, "pump", "mirror")
    row = Centre.objects.get(wiki=wiki)
    mean = (hash_text(f"{OPENING} pump") + hash_text(f"{OPENING} mirror")) / 2
    assert np.asarray(row.question_mean) == pytest.approx(mean, abs=1e-6)
    assert row.questions == 2


def test_a_few_questions_change_nothing(write, wiki):
    write("Pump", "The pump.")
    ask(wiki, *(f"name{n}" for n in range(centring.FIRST)))
    assert centre_of(wiki) is None
    ask(wiki, "another")
    assert centre_of(wiki) is not None


def test_the_page_that_a_question_is_about_comes_before_those_that_sound_like_it(write, wiki):
    """By words both say one: the pages differ in how they sound alone."""
    write("Chatter", f"{OPENING} {OPENING} mirror")
    about = write("Pump", "pump pressure valve leaks in winter")
    for number in range(6):
        write(f"Other {number}", f"{OPENING} number{number}")
    asked = f"{OPENING} pump"
    before = recall(wiki, asked, mode=Mode.VECTOR).hits
    assert before[0].page != about
    ask(wiki, *(f"name{n}" for n in range(centring.FULL + 1)))
    found = recall(wiki, asked, mode=Mode.HYBRID).hits
    assert found[0].page == about
    assert found[0].similarity == pytest.approx(
        float(hash_text("Pump\npump pressure valve leaks in winter") @ hash_text(asked)), abs=1e-6
    )
    assert [hit.page for hit in recall(wiki, asked, mode=Mode.VECTOR).hits] == [
        hit.page for hit in before
    ]


def test_the_questions_of_pages_are_the_beginning(write, wiki, author):
    page = write("Pump", "The pump.")
    for number in range(12):
        keep_question(page, f"{OPENING} part {number}", author=author)
    ask(wiki, "pump", "valve")
    assert Centre.objects.get(wiki=wiki).questions == 14
    assert centre_of(wiki) is not None


def test_a_wiki_that_is_always_asked_the_same_still_answers_it(write, wiki):
    page = write("Pump", "The pump leaks.")
    write("Mirror", "The mirror is broken.")
    ask(wiki, *["pump"] * 60)
    assert recall(wiki, f"{OPENING} pump", mode=Mode.HYBRID).hits[0].page == page
    centre = centre_of(wiki)
    assert centre
    pages = np.array([hash_text("The pump leaks.")])
    assert compare_centred(centre, hash_text(f"{OPENING} pump"), pages) is None


def test_each_wiki_and_each_model_has_its_own(write, wiki):
    write("Pump", "The pump.")
    other = Wiki.objects.create(slug="other", name="Other")
    ask(wiki, *(f"name{n}" for n in range(12)))
    assert find_centre([other.pk], active_fingerprint()) is None
    assert find_centre([wiki.pk], "another:model:256") is None
    assert find_centre([wiki.pk, other.pk], active_fingerprint()) is None


def test_the_latest_questions_count_most_and_the_mean_of_the_pages_follows(write, wiki):
    write("Pump", "The pump.")
    early, late = hash_text("early"), hash_text("late")
    for vector in (early, late):
        for number in range(1500):
            learn_question(wiki, active_fingerprint(), vector + np.float32(number * 1e-6), 1)
    row = Centre.objects.get(wiki=wiki)
    assert row.questions == centring.KEPT
    mean = np.asarray(row.question_mean)
    assert mean @ late > mean @ early
    assert np.asarray(row.page_mean) == pytest.approx(hash_text("Pump\nThe pump."), abs=1e-6)
    write("Mirror", "The mirror.")
    for number in range(20):
        learn_question(wiki, active_fingerprint(), early + np.float32(number * 1e-6), 2)
    assert Centre.objects.get(wiki=wiki).pages == 2
