"""Filing under a model to which everything is similar."""

from functools import partial

import pytest
from django.core.management import call_command

from covey.environment import Auto
from tests.support.crowded_model import answer_crowded
from tests.support.filing_samples import BELONGING, PAGES, UNRELATED
from wiki.indexing.calibration import active_calibration, calibrate, request_calibration
from wiki.insights.intake import Handed, file_insight, file_pending_insights
from wiki.merging.maintenance import maintain
from wiki.models import Calibration, MergeProposal, Outcome, Page
from wiki.operations.health import find_warnings
from wiki.search.thresholds import append_from, is_settled, merge_from, related_from, suspect_from


@pytest.fixture
def file(wiki, agent):
    return lambda text: file_insight(wiki, agent, Handed(text))


@pytest.fixture
def pages(crowded, write):
    return [write(title, body) for title, body in PAGES.items()]


def threshold_warnings() -> list[str]:
    return [warning.message for warning in find_warnings() if warning.id == "threshold"]


def test_ten_unrelated_insights_are_ten_pages(pages, file) -> None:
    filed = [file(text) for text in UNRELATED]
    assert {insight.outcome for insight in filed} == {Outcome.CREATED}
    assert Page.objects.count() == 20
    # By the number alone some of them would have been added to a page.
    assert any(insight.similarity >= 0.80 for insight in filed)
    assert all(insight.candidates for insight in filed)


def test_ten_that_belong_are_appended(pages, file) -> None:
    filed = {title: file(text) for title, text in BELONGING.items()}
    assert {insight.outcome for insight in filed.values()} == {Outcome.APPENDED}
    assert [insight.page.title for insight in filed.values()] == list(BELONGING)


def test_a_repeated_text_is_known_whatever_is_advised(pages, file) -> None:
    Calibration.objects.update(advised=1.0, share=0.0)
    for title, body in PAGES.items():
        insight = file(body)
        assert (insight.outcome, insight.page.title) == (Outcome.KNOWN, title)


def test_naming_the_page_skips_any_advice(pages, wiki, agent) -> None:
    insight = file_insight(wiki, agent, Handed(UNRELATED[0], page="Newsletter"))
    assert insight.outcome == Outcome.APPENDED


def test_the_bounds_are_raised_and_never_lowered(crowded) -> None:
    row = active_calibration()
    assert 0.80 < row.apart < row.advised < 0.93
    assert (append_from(), merge_from()) == (row.advised, 0.93)
    assert related_from() == row.apart
    assert suspect_from() == max(0.88, row.advised)
    Calibration.objects.update(advised=0.96)
    # As seen by a process that has not read the row before.
    request_calibration()
    assert (append_from(), suspect_from(), merge_from()) == (0.96, 0.96, 0.96)
    Calibration.objects.update(advised=0.55, apart=0.50)
    request_calibration()
    assert (related_from(), append_from(), suspect_from(), merge_from()) == (0.6, 0.8, 0.88, 0.93)


def test_auto_may_lower_them(crowded, settings) -> None:
    settings.COVEY_APPEND_THRESHOLD, settings.COVEY_MERGE_THRESHOLD = Auto(0.80), Auto(0.93)
    Calibration.objects.update(advised=0.55, apart=0.50)
    request_calibration()
    assert (append_from(), merge_from()) == (0.55, 0.55)


@pytest.mark.parametrize("setting", [0.80, Auto(0.80)])
def test_under_builtin_the_thresholds_stand(db, settings, setting) -> None:
    settings.COVEY_APPEND_THRESHOLD = setting
    assert (append_from(), merge_from()) == (0.80, 0.93)
    assert threshold_warnings() == []


def test_a_number_that_was_set_is_obeyed_with_a_warning(crowded, settings) -> None:
    settings.COVEY_APPEND_THRESHOLD = 0.80
    assert append_from() == 0.80
    [message] = threshold_warnings()
    row = active_calibration()
    assert message.startswith("COVEY_APPEND_THRESHOLD=0.80 is obeyed, but to the model ollama:")
    assert f"up to {row.apart:.2f}. Set {row.advised:.2f} or more" in message
    settings.COVEY_APPEND_THRESHOLD = row.advised
    assert threshold_warnings() == []


def test_the_raised_bound_is_said_with_its_figures(crowded, capsys, staff, person) -> None:
    row = active_calibration()
    [message] = threshold_warnings()
    assert f"up to {row.apart:.2f}" in message
    assert f"COVEY_APPEND_THRESHOLD is {row.advised:.2f} for it instead of 0.80" in message
    call_command("check")
    assert "covey.threshold" in capsys.readouterr().err
    person.is_staff = person.is_superuser = True
    person.save()
    staff.force_login(person)
    html = staff.get("/admin/embedding/").content.decode()
    assert "Similarities of this model" in html
    assert f"<td>{row.apart:.2f}</td>" in html


def test_of_a_model_that_cannot_tell_only_words_append(use, write, file) -> None:
    """One to which texts differ by chance alone."""
    use("ollama", partial(answer_crowded, words=0.0))
    request_calibration()
    calibrate()
    for title, body in PAGES.items():
        write(title, body)
    filed = {title: file(text) for title, text in BELONGING.items()}
    added = {title for title, found in filed.items() if found.outcome == Outcome.APPENDED}
    assert all(filed[title].page.title == title for title in added)
    others = [found for title, found in filed.items() if title not in added]
    assert others
    assert {found.outcome for found in others} == {Outcome.CREATED}
    assert all(len(found.candidates) == 5 for found in others)
    [message] = threshold_warnings()
    assert "cannot tell what belongs together" in message
    assert "only 0 %" in message


def test_maintenance_proposes_nothing_that_only_the_model_finds_similar(pages, wiki) -> None:
    maintain([wiki])
    assert MergeProposal.objects.count() == 0


def test_before_the_calibration_an_insight_near_a_page_waits(use, write, file) -> None:
    use("ollama", answer_crowded)
    request_calibration()
    title, body = next(iter(PAGES.items()))
    write(title, body)
    assert not is_settled()
    waiting = file(BELONGING[title])
    assert waiting.outcome == Outcome.PENDING
    assert file(body).outcome == Outcome.KNOWN
    assert "is not measured yet" in threshold_warnings()[0]
    assert file_pending_insights() == 0
    calibrate()
    assert file_pending_insights() == 1
    waiting.refresh_from_db()
    assert (waiting.outcome, waiting.page.title) == (Outcome.APPENDED, title)


def test_a_set_number_waits_for_no_calibration(use, write, file, settings) -> None:
    settings.COVEY_APPEND_THRESHOLD = 0.85
    use("ollama", answer_crowded)
    request_calibration()
    title, body = next(iter(PAGES.items()))
    write(title, body)
    assert file(BELONGING[title]).outcome == Outcome.APPENDED


def test_the_advice_costs_a_filing_no_query(pages, django_assert_num_queries) -> None:
    append_from()
    with django_assert_num_queries(0):
        for bound in (append_from, merge_from, related_from, suspect_from, is_settled):
            bound()
