"""What a model means by its similarities is measured with covey's own texts."""

from datetime import timedelta

import numpy as np
import pytest
from django.db import IntegrityError
from django.utils import timezone

from embeddings.vectors import Vector
from tests.support.crowded_model import answer_crowded
from tests.support.embedding_server import Reply
from wiki.indexing import calibration
from wiki.indexing.calibration import (
    INSIGHTS,
    ONLY_COPIES,
    OWN_PAGE,
    PAGES,
    RECIPE,
    active_calibration,
    calibrate,
    is_calibration_due,
    request_calibration,
    weigh,
)
from wiki.indexing.calibration_texts import NOTES
from wiki.indexing.reindex import embed_everything_anew, work_off
from wiki.models import Calibration, ReembedRun, RunState
from wiki.schedule import ensure_schedules


def drawn(near: float, other: float, apart: float) -> dict[int, Vector]:
    """Vectors of which each insight has these cosines to its own page and to the others."""
    count = len(PAGES)
    vectors = {page: np.eye(count + 1)[page] for page in range(count)}
    for number, own in enumerate(OWN_PAGE):
        rows = np.full(count + 1, apart)
        rows[own] = near if number % 2 == 0 else other
        rows[-1] = 0
        vectors[count + number] = rows
    return vectors


def test_there_are_sixty_texts_none_twice_and_in_both_languages() -> None:
    texts = [*[page.body for page in PAGES], *[insight.body for insight in INSIGHTS]]
    assert len(texts) == len(set(texts)) == 60
    assert len({note.title for note in NOTES}) == 20
    assert 15 <= sum(" der " in text or " die " in text for text in texts) <= 45


def test_the_bound_lies_above_all_that_does_not_belong_together() -> None:
    figures = weigh(drawn(near=0.95, other=0.85, apart=0.80))
    assert (figures.apart, figures.together) == (0.80, pytest.approx(0.90))
    assert (figures.advised, figures.share) == (0.82, 1.0)
    # One pair in 760 moves it.
    vectors = drawn(near=0.95, other=0.85, apart=0.80)
    vectors[len(PAGES)][3] = 0.90
    figures = weigh(vectors)
    assert (figures.advised, figures.share) == (0.91, 0.5)


def test_the_bound_is_never_rounded_below_a_pair_that_does_not_belong_together() -> None:
    assert weigh(drawn(near=0.999, other=0.999, apart=0.984)).advised == 0.99
    assert weigh(drawn(near=1.0, other=1.0, apart=0.994)).advised == 1.0


@pytest.mark.parametrize(("near", "advised"), [(0.82, 0.82), (0.81, ONLY_COPIES)])
def test_where_the_kinds_overlap_the_model_cannot_tell(near: float, advised: float) -> None:
    figures = weigh(drawn(near, other=0.70, apart=0.80))
    assert figures.advised == advised


@pytest.mark.parametrize("seen", [10, 9])
def test_a_quarter_of_what_belongs_together_is_enough(seen: int) -> None:
    vectors = drawn(near=0.5, other=0.5, apart=0.80)
    for number in range(seen):
        vectors[len(PAGES) + number][OWN_PAGE[number]] = 0.9
    assert weigh(vectors).advised == (0.82 if seen == 10 else ONLY_COPIES)


def test_texts_that_the_provider_refuses_are_left_out() -> None:
    vectors = drawn(near=0.95, other=0.85, apart=0.80)
    del vectors[0], vectors[len(PAGES) + 5]
    assert weigh(vectors).advised == 0.82
    assert weigh({}).advised == ONLY_COPIES


def test_builtin_is_not_calibrated(db) -> None:
    ensure_schedules()
    assert not Calibration.objects.exists()
    assert not is_calibration_due()


def test_a_start_asks_for_it_and_the_run_does_it_before_the_first_page(use, write) -> None:
    write("Seite", "Ein Text.")
    server = use("ollama", answer_crowded)
    ensure_schedules()
    assert server.texts == []
    assert active_calibration().advised is None
    work_off()
    assert len(server.texts) == 61
    assert server.texts[0] == f"title: {NOTES[0].title} | text: {NOTES[0].body}"
    assert "Ein Text." in server.texts[-1]
    row = Calibration.objects.get()
    assert (row.fingerprint, row.recipe) == ("ollama:embeddinggemma:256", RECIPE)
    assert row.measured_at > timezone.now() - timedelta(minutes=1)


def test_it_is_done_once_per_fingerprint(use, db) -> None:
    server = use("ollama", answer_crowded)
    for _ in range(2):
        ensure_schedules()
        work_off()
    assert len(server.texts) == 60
    use("ollama", answer_crowded, model="bge-m3")
    ensure_schedules()
    work_off()
    assert len(server.texts) == 120
    assert Calibration.objects.count() == 2


def test_other_texts_or_another_rule_measure_anew_and_the_old_figures_stand_meanwhile(
    crowded, monkeypatch
) -> None:
    advised = active_calibration().advised
    assert not is_calibration_due()
    monkeypatch.setattr(calibration, "RECIPE", "another")
    assert is_calibration_due()
    request_calibration()
    assert active_calibration().advised == advised


def test_embedding_everything_anew_calibrates_anew(crowded) -> None:
    embed_everything_anew()
    assert active_calibration().advised is None
    work_off()
    assert active_calibration().advised is not None


def test_a_service_that_is_away_makes_the_run_wait(use, db) -> None:
    use("ollama", lambda request: Reply(status=503))
    ensure_schedules()
    work_off()
    run = ReembedRun.objects.get()
    assert (run.state, run.attempt) == (RunState.WAITING, 1)
    assert is_calibration_due()


def test_a_row_is_read_once_by_a_process(crowded, django_assert_num_queries) -> None:
    active_calibration()
    with django_assert_num_queries(0):
        for _ in range(100):
            active_calibration()


def test_a_row_has_all_figures_or_none(db) -> None:
    with pytest.raises(IntegrityError):
        Calibration.objects.create(fingerprint="a:b:256", advised=0.9)


def test_the_log_says_the_figures(use, db, caplog) -> None:
    caplog.set_level("INFO")
    use("ollama", answer_crowded)
    calibrate()
    assert "ollama:embeddinggemma:256 is calibrated" in caplog.text
