"""Dark and light, by the system and by a switch; the language of the screens."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, heading
from tests.support.screens import Write

# The ground at the first moment that anything is drawn, before the scripts at the end and any later
# change.
FIRST_GROUND = """new PerformanceObserver((list, observer) => {
  window.firstGround = getComputedStyle(document.body).backgroundColor;
  observer.disconnect();
}).observe({ type: "paint", buffered: true })"""

WAIT_FOR_GROUND = """() => new Promise((done) => {
  const look = () => (window.firstGround ? done(window.firstGround) : requestAnimationFrame(look));
  look();
})"""


def is_dark(screen: Screen, ground: str = "") -> bool:
    ground = ground or screen.evaluate("getComputedStyle(document.body).backgroundColor")
    return max(map(int, re.findall(r"\d+", ground)[:3])) < 60


@pytest.mark.parametrize("dark", [False, True], ids=["light system", "dark system"])
def test_the_system_decides_until_somebody_chooses(
    visit: Visit, person: User, write: Write, dark: bool
) -> None:
    write("Runner")
    screen = visit("/w/ops/runner", as_user=person, dark=dark)
    expect(button(screen, "System")).to_have_attribute("aria-pressed", "true")
    assert is_dark(screen) == dark
    button(screen, "Light" if dark else "Dark").click()
    assert is_dark(screen) != dark
    screen.goto("/w/ops/")
    assert is_dark(screen) != dark
    screen.reload()
    assert is_dark(screen) != dark
    expect(button(screen, "Light" if dark else "Dark")).to_have_attribute("aria-pressed", "true")
    button(screen, "System").click()
    assert is_dark(screen) == dark
    screen.emulate_media(color_scheme="light" if dark else "dark")
    assert is_dark(screen) != dark


def test_a_chosen_appearance_does_not_flash(visit: Visit, person: User, write: Write) -> None:
    write("Runner")
    screen = visit("/w/ops/runner", as_user=person)
    button(screen, "Dark").click()
    screen.context.add_init_script(FIRST_GROUND)
    screen.reload()
    assert is_dark(screen, screen.evaluate(WAIT_FOR_GROUND))
    # The choice is read in the head, before there is a body to draw.
    assert screen.locator("head > script").first.evaluate(
        "script => [script.src, script.defer, script.async]"
    ) == [
        screen.evaluate("location.origin") + "/static/covey/theme.js",
        False,
        False,
    ]


def test_the_language_is_that_of_the_browser_until_somebody_chooses(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "It runs.")
    screen = visit("/w/ops/runner", as_user=person, language="de")
    expect(screen.locator("html")).to_have_attribute("lang", "de")
    expect(button(screen, "Deutsch")).to_have_attribute("aria-pressed", "true")
    button(screen, "English").click()
    # One stays where one was, and it is kept.
    expect(heading(screen, "Runner")).to_be_visible()
    expect(heading(screen, "About this page")).to_be_visible()
    expect(screen.locator("html")).to_have_attribute("lang", "en")
    screen.goto("/w/ops/")
    expect(screen.locator("html")).to_have_attribute("lang", "en")
    button(screen, "Deutsch").click()
    expect(heading(screen, "Letzte Änderungen")).to_be_visible()


def test_scripts_speak_the_language_of_the_screen(visit: Visit, person: User, write: Write) -> None:
    write("Runner", "Alt.")
    screen = visit("/w/ops/runner/edit", as_user=person, language="de")
    body_of(screen).fill("Neu.")
    expect(screen.get_by_text("Als Entwurf in diesem Browser")).to_be_visible()
    screen.close()
    again = screen.context.new_page()
    again.goto("/w/ops/runner/edit")
    offer = again.locator("#draft-offer")
    expect(offer).to_be_visible()
    expect(offer).to_contain_text(re.compile("gerade eben|vor"))
