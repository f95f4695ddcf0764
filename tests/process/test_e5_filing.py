"""Filing under a real model of the E5 family, to which everything is similar."""

import pytest

from tests.support.filing_samples import BELONGING, PAGES, UNRELATED
from wiki.indexing.calibration import active_calibration, request_calibration
from wiki.indexing.reindex import work_off
from wiki.insights.intake import Handed, file_insight
from wiki.merging.maintenance import maintain
from wiki.models import Insight, Outcome, Page
from wiki.search.thresholds import append_from, merge_from


@pytest.fixture
def file(e5, wiki, agent, write):
    """As after a start: calibrated, with ten pages."""
    request_calibration()
    work_off()
    for title, body in PAGES.items():
        write(title, body)
    return lambda text: file_insight(wiki, agent, Handed(text))


def test_unrelated_insights_are_pages_and_those_that_belong_are_not(file, wiki) -> None:
    # By the numbers alone, 0.80 and 0.93, some of the ten would have been added to a page.
    row = active_calibration()
    assert row.apart == pytest.approx(0.89, abs=0.01)
    assert append_from() == pytest.approx(0.90, abs=0.011)
    assert merge_from() == 0.93
    unrelated = [file(text) for text in UNRELATED]
    assert {insight.outcome for insight in unrelated} == {Outcome.CREATED}
    assert sum(insight.similarity >= 0.80 for insight in unrelated) >= 5
    belonging = {title: file(text) for title, text in BELONGING.items()}
    assert {insight.outcome for insight in belonging.values()} == {Outcome.APPENDED}
    assert [insight.page.title for insight in belonging.values()] == list(BELONGING)
    for text in PAGES.values():
        assert file(text).outcome == Outcome.KNOWN
    assert Page.objects.count() == 20
    assert not Insight.objects.unfiled().exists()
    [report] = maintain([wiki])
    assert (report.run.merged, report.run.proposed) == (0, 0)
