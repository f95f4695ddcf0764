"""At 360 pixels nothing sticks out of the window, and a finger hits what it means."""

from django.contrib.auth.models import User

from tests.browser.conftest import Visit
from tests.browser.screens import Furnished, assert_nothing_found
from tests.support.screens import Write

# What sticks out, and what a finger would miss. Links among words are as high as their line.
FITS = """() => {
  const problems = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length;
  const named = (element) => element.outerHTML.slice(0, 160);
  const wide = document.documentElement.scrollWidth;
  if (wide > window.innerWidth) {
    problems.push(`${wide} px wide`);
    for (const element of document.body.querySelectorAll("*"))
      if (seen(element) && element.getBoundingClientRect().right > window.innerWidth + 1) problems.push(named(element));
  }
  const isWord = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
  const isAmongWords = (link) => link.closest(".prose") || [...link.parentElement.childNodes].some(isWord);
  const isInText = (element) => getComputedStyle(element).display === "inline" && isAmongWords(element);
  const targets = "a[href], button, select, summary, input:not([type=hidden]), textarea";
  for (const element of document.querySelectorAll(targets)) {
    // What a map shows stands in a table below it once more.
    if (!seen(element) || element.closest(".unseen, .skip, .skip-picture, svg") || element.disabled) continue;
    if (element.matches("a") && isInText(element)) continue;
    // A box to tick and a picture to choose are as large as their labels.
    const { width, height } = (element.closest("label") || element).getBoundingClientRect();
    const least = element.matches(".btn, button:not(.plain), select, textarea, input") ? 44 : 24;
    if (width < 23.5 || height < least - 0.5)
      problems.push(`${Math.round(width)}x${Math.round(height)}: ${named(element)}`);
  }
  return problems;
}"""


def test_every_screen_fits_a_telephone_and_a_finger(visit: Visit, furnished: Furnished) -> None:
    assert_nothing_found(
        visit, furnished, lambda screen: screen.evaluate(FITS), narrow=True, language="de"
    )


def test_a_title_of_one_long_word_fits_too(visit: Visit, person: User, write: Write) -> None:
    page = write(
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
        "[[Runner]]",
    )
    screen = visit(as_user=person, narrow=True)
    beside = [
        f"/w/ops/{page.slug}{behind}"
        for behind in ("", "/history", "/similar", "/mentions", "/trash")
    ]
    for address in (
        "/w/ops/",
        "/w/ops/changes",
        "/w/ops/health?finding=orphans",
        "/w/ops/search?q=donau",
        *beside,
    ):
        screen.goto(address)
        assert screen.evaluate("document.documentElement.scrollWidth") == 360, address


TABLES = (
    "/w/ops/merges",
    "/w/ops/suggestions",
    "/w/ops/suggestions?state=decided",
    "/w/ops/runner/similar",
    "/w/ops/health?finding=dead-links",
    "/w/ops/health?finding=orphans",
)
OUT_OF_SIGHT = """() => [...document.querySelectorAll(".stack :is(a, button)")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth).map((element) => element.textContent)"""


def test_what_a_row_leads_to_is_never_out_of_sight(visit: Visit, furnished: Furnished) -> None:
    screen = visit(as_user=furnished.owner, narrow=True, language="de")
    for address in TABLES:
        screen.goto(address)
        assert screen.locator(".stack a").count(), address
        assert screen.evaluate(OUT_OF_SIGHT) == [], address
