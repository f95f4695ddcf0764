"""What a choice in the list after [[ does to the text."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, type_body
from tests.support.screens import Write


@pytest.mark.parametrize(
    ("before", "typed", "after", "result"),
    [
        pytest.param("see [[", "Big Buc", "", "see [[Big Buck Bunny]]", id="at the end"),
        pytest.param(
            "see [[", "B", "]] now", "see [[Big Buck Bunny]] now", id="before the brackets"
        ),
        pytest.param("[[", "Big", "|films]]", "[[Big Buck Bunny|films]]", id="with other words"),
        pytest.param("[[", "big", "#Cast]]", "[[Big Buck Bunny#Cast]]", id="with a heading"),
        pytest.param("[[", "Big", " Bunn]]", "[[Big Buck Bunny]]", id="what follows goes too"),
        pytest.param(
            "[", "[big", "](u)", "[[Big Buck Bunny]](u)", id="one bracket is there already"
        ),
    ],
)
def test_the_chosen_title_stands_in_the_link_once(
    visit: Visit, person: User, write: Write, before: str, typed: str, after: str, result: str
) -> None:
    write("Big Buck Bunny")
    screen = visit("/w/ops/new", as_user=person)
    body_of(screen).fill(before + after)
    for _ in after:
        screen.keyboard.press("ArrowLeft")
    screen.keyboard.type(typed)
    option = screen.get_by_role("listbox").get_by_role("option", name="Big Buck Bunny")
    expect(option).to_have_attribute("aria-selected", "true")
    screen.keyboard.press("Enter")
    expect(body_of(screen)).to_have_value(result)
    expect(screen.get_by_role("listbox")).to_be_hidden()
    screen.keyboard.press("Control+z")
    expect(body_of(screen)).to_have_value(before + typed + after)


def test_the_mouse_chooses_too_and_escape_leaves_what_is_typed(
    visit: Visit, person: User, write: Write
) -> None:
    write("Big Buck Bunny")
    write("Big Bang")
    screen = visit("/w/ops/new", as_user=person)
    type_body(screen, "[[big")
    proposals = screen.get_by_role("listbox")
    proposals.get_by_role("option", name="Big Buck Bunny").click()
    expect(body_of(screen)).to_have_value("[[Big Buck Bunny]]")
    screen.keyboard.type(" [[big")
    expect(proposals).to_be_visible()
    screen.keyboard.press("Escape")
    expect(proposals).to_be_hidden()
    screen.keyboard.press("Enter")
    expect(body_of(screen)).to_have_value("[[Big Buck Bunny]] [[big\n")


def test_headings_of_the_page_are_offered_after_a_hash(
    visit: Visit, person: User, write: Write
) -> None:
    write("Runner", "# Setup\n\n# Care")
    screen = visit("/w/ops/new", as_user=person)
    type_body(screen, "[[Runner#ca")
    expect(screen.get_by_role("option", name="Care")).to_be_visible()
    screen.keyboard.press("Tab")
    expect(body_of(screen)).to_have_value("[[Runner#Care]]")


def test_nothing_is_offered_inside_of_code(visit: Visit, person: User, write: Write) -> None:
    write("Runner")
    screen = visit("/w/ops/new", as_user=person)
    type_body(screen, "`[[Run` and then [[Run")
    # The second comes, so the first has had its time.
    expect(screen.get_by_role("option", name="Runner")).to_be_visible()
    body_of(screen).fill("")
    type_body(screen, "```\n[[Run\n")
    screen.keyboard.type("```\n")
    expect(screen.get_by_role("listbox")).to_be_hidden()
    expect(body_of(screen)).to_have_value("```\n[[Run\n```\n")


def test_a_field_for_another_page_proposes_titles_and_addresses(
    visit: Visit, person: User, write: Write
) -> None:
    write("Old host")
    write("Build server")
    write("Build server", "Another.")
    screen = visit("/w/ops/old-host/standing", as_user=person)
    screen.get_by_label("Title or address of the page that holds now").fill("serv")
    # Of two pages of one title the address says which is meant.
    proposed = screen.locator("datalist option")
    expect(proposed).to_have_count(2)
    shown = proposed.evaluate_all(
        "(options) => options.map((option) => `${option.value}: ${option.label}`)"
    )
    assert sorted(shown) == ["build-server-2: Build server", "build-server: Build server"]


@pytest.mark.parametrize(
    ("before", "path", "result"),
    [
        ("see ", "/w/ops/big-buck-bunny#cast", "see [[Big Buck Bunny#cast]]"),
        ("[film](", "/w/ops/big-buck-bunny", None),
        ("see ", "/w/ops/changes", None),
    ],
)
def test_a_pasted_address_of_a_page_becomes_a_link(
    visit: Visit, person: User, write: Write, before: str, path: str, result: str | None
) -> None:
    write("Big Buck Bunny")
    screen = visit("/w/ops/new", as_user=person)
    body_of(screen).fill(before)
    address = screen.url.partition("/w/")[0] + path
    screen.evaluate(
        """address => {
            const field = document.getElementById("edit").elements.body;
            const data = new DataTransfer();
            data.setData("text/plain", address);
            field.focus();
            field.setSelectionRange(field.value.length, field.value.length);
            const pasted = { clipboardData: data, bubbles: true, cancelable: true };
            field.dispatchEvent(new ClipboardEvent("paste", pasted));
            document.execCommand("insertText", false, address);
        }""",
        address,
    )
    expect(body_of(screen)).to_have_value(before + address if result is None else result)
