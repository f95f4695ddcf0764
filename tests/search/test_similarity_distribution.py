"""Whether the thresholds fit the model is told from the pages themselves."""

import numpy as np
from django.core.management import call_command
from django.test import Client

from embeddings.client import active_fingerprint
from tests.support.screens import Write, text
from wiki.merging.maintenance import maintain
from wiki.models import MaintenanceRun, Wiki
from wiki.operations.health import find_warnings
from wiki.search.similarity_distribution import BINS, MIN_PAIRS, measure_spread, to_json


def directions(count: int, spread: float) -> np.ndarray:
    chance = np.random.default_rng(7)
    rows = chance.normal(0, spread, (count, 256)) + chance.normal(0, 1, 256)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_texts_that_have_nothing_in_common_fit_every_threshold() -> None:
    spread = measure_spread(directions(200, 50.0))
    assert spread.pairs == 200 * 199 // 2
    assert abs(spread.percentiles["50"]) < 0.1
    assert spread.misfits == []
    assert sum(spread.bins) == spread.pairs
    assert len(spread.bins) == BINS


def test_a_model_to_which_everything_is_similar_fits_none() -> None:
    spread = measure_spread(directions(200, 0.1))
    assert spread.misfits == ["COVEY_APPEND_THRESHOLD", "COVEY_MERGE_THRESHOLD"]


def test_few_pages_say_nothing() -> None:
    assert measure_spread(directions(10, 0.1)).misfits == []
    assert measure_spread(directions(0, 1.0)).pairs == 0
    assert measure_spread(directions(1, 1.0)).pairs == 0


def test_a_run_measures_it_and_the_warnings_say_so(wiki: Wiki, write: Write, capsys) -> None:
    write("Alpha", "some text")
    maintain()
    run = MaintenanceRun.objects.get()
    assert run.spread["pairs"] == 0
    assert "threshold" not in [warning.id for warning in find_warnings(wiki)]
    run.spread = to_json(measure_spread(directions(60, 0.1)))
    run.save()
    assert run.spread["pairs"] >= MIN_PAIRS
    messages = [warning.message for warning in find_warnings() if warning.id == "threshold"]
    assert len(messages) == 2
    assert "COVEY_MERGE_THRESHOLD=0.93 does not fit the model builtin:hash:256" in messages[1]
    call_command("check", "--database", "default")
    assert "covey.threshold" in capsys.readouterr().err
    # What another model made says nothing about this one.
    MaintenanceRun.objects.update(fingerprint="other:model:256")
    assert active_fingerprint() != "other:model:256"
    assert "threshold" not in [warning.id for warning in find_warnings(wiki)]


def test_the_distribution_is_drawn_and_said(staff: Client, wiki: Wiki) -> None:
    spread = to_json(measure_spread(directions(60, 0.1)))
    MaintenanceRun.objects.create(
        wiki=wiki, fingerprint=active_fingerprint(), is_full=True, spread=spread
    )
    html = text(staff.get("/w/ops/merges"))
    assert 'class="spread"' in html
    assert html.count("<rect x=") == BINS
    assert "100.00\xa0%" in html
    assert "A threshold does not fit this model." in html
