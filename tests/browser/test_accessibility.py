"""axe-core finds no serious fault on any screen.

Once a screen: the other appearance has the same elements in other colours, whose contrast is
computed from the tokens of the style sheet (tests/pages/test_reading_aids.py), and what is narrow
is held by test_small_screens.py.
"""

from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of
from tests.browser.screens import Furnished, assert_nothing_found
from tests.browser.test_small_screens import FITS
from tests.support.writing import revise_page
from wiki.models import Page
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

SERIOUS = ("serious", "critical")


def faults(screen: Screen) -> list[str]:
    found = Axe().run(screen).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {node['html'][:200]}"
        for fault in found
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]


def test_axe_finds_nothing_serious_on_any_screen(visit: Visit, furnished: Furnished) -> None:
    assert_nothing_found(visit, furnished, faults)


def what_opens_and_fails(screen: Screen, owner: Author) -> Iterator[str]:
    """Brings up one state of the screens after the other."""
    screen.goto("/w/ops/runner")
    screen.keyboard.press("Control+k")
    expect(screen.locator("#palette [role=option]").first).to_be_visible()
    yield "palette"
    screen.keyboard.type("zzz")
    expect(screen.locator("#palette [role=option]")).to_have_count(1)
    yield "palette that offers a page"
    screen.keyboard.press("Escape")
    expect(screen.locator("#palette")).to_be_hidden()
    screen.keyboard.press("?")
    expect(screen.locator("#keys")).to_be_visible()
    yield "keys"
    screen.goto("/w/ops/new")
    body_of(screen).fill("")
    body_of(screen).press_sequentially("[[r")
    expect(screen.locator("#proposals [role=option]").first).to_be_visible()
    yield "completion"
    screen.keyboard.press("Escape")
    screen.locator("button[value=save]:visible").click()
    expect(screen.locator(".error[role=alert]").first).to_be_visible()
    yield "refused form"
    screen.goto("/w/ops/runner/edit")
    body_of(screen).fill("Mine.")
    expect(screen.locator("#draft-state")).not_to_be_empty()
    other = screen.context.new_page()
    other.goto("/w/ops/runner/edit")
    expect(other.locator("#draft-offer")).to_be_visible()
    other.close()
    page = Page.objects.get(slug="runner")
    revise_page(page, page.revision, title=page.title, body="Theirs.", author=owner)
    screen.locator("button[value=save]:visible").click()
    expect(screen.locator("#present")).to_have_count(1)
    yield "conflict"
    screen.goto("/w/ops/runner/edit")
    expect(screen.locator("#draft-offer")).to_be_visible()
    yield "draft offer"
    body_of(screen).fill("Mine.")
    page.refresh_from_db()
    trash_page(page, author=owner)
    screen.locator("button[value=save]:visible").click()
    expect(screen.locator("form[target=_blank]")).to_be_visible()
    yield "page that is gone"
    screen.goto("/w/ops/older-host/standing")
    screen.locator("#id_successor").fill("nothing of this name")
    screen.locator("main button").last.click()
    expect(screen.locator(".error[role=alert]")).to_be_visible()
    yield "refused mark"
    screen.goto("/w/ops/diary/rename")
    screen.locator("#id_title").fill("Old host")
    screen.locator("button[value=rename]").click()
    expect(screen.locator(".note[role=alert]")).to_be_visible()
    yield "name that is taken"


def test_axe_finds_nothing_serious_in_what_opens_and_fails(
    visit: Visit, furnished: Furnished
) -> None:
    screen = visit(as_user=furnished.owner, dark=True, narrow=True, language="de")
    screen.on("dialog", lambda dialog: dialog.accept())
    found, states = [], 0
    for state in what_opens_and_fails(screen, Author.person(furnished.owner)):
        states += 1
        found += [f"{state}: {fault}" for fault in faults(screen)]
        found += [f"{state}: {problem}" for problem in screen.evaluate(FITS)]
    assert states == 10
    assert not found, "\n".join(found)
