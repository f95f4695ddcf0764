"""The recalls of a page: looked at, marked, and found again by what was asked."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import button, heading, link
from tests.support.screens import Write
from wiki.models import Agent, Wiki
from wiki.recall.service import hand_out
from wiki.search.retrieval import RecallRequest

QUESTION = "Der CI-Build schlägt fehl"


@pytest.mark.parametrize(
    "how", [{}, {"script": False}, {"narrow": True}], ids=["wide", "no script", "narrow"]
)
def test_a_question_is_marked_as_useful_found_by_and_taken_away(
    visit: Visit, person: User, write: Write, wiki: Wiki, agent: Agent, how: dict
) -> None:
    write("Pipeline rot", "Was zu tun ist, wenn die Pipeline rot ist.")
    hand_out(RecallRequest(wiki, QUESTION, agent=agent, task="ticket-17"))
    screen = visit("/w/ops/pipeline-rot", as_user=person, **how)
    link(screen, "1 time").click()
    expect(heading(screen, "Recalls")).to_be_visible()
    recalls = screen.locator("ol.recalls > li")
    expect(recalls).to_contain_text([QUESTION])
    expect(recalls.first).to_contain_text("ticket-17")
    button(recalls.first, "Useful").click()
    expect(button(recalls.first, "Useful")).to_have_attribute("aria-pressed", "true")
    expect(screen.locator(".questions li")).to_contain_text([QUESTION])
    screen.goto("/w/ops/search?q=CI-Build")
    expect(screen.locator(".hits > li")).to_contain_text([QUESTION])
    screen.goto("/w/ops/pipeline-rot/recalls")
    button(screen, f"Remove {QUESTION}").click()
    expect(screen.locator(".questions li")).to_have_count(0)


def test_people_write_a_question_of_their_own(visit: Visit, person: User, write: Write) -> None:
    write("Pipeline rot")
    screen = visit("/w/ops/pipeline-rot/recalls", as_user=person)
    field = screen.get_by_label("In which words could somebody ask for this page?")
    field.fill("?!")
    field.press("Enter")
    expect(screen.get_by_role("alert")).to_contain_text("says nothing")
    expect(field).to_have_value("?!")
    field.fill(QUESTION)
    button(screen, "Add").click()
    expect(screen.locator(".questions li")).to_contain_text([QUESTION])
