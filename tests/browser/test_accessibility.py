"""axe-core finds no serious fault on any screen, in both appearances, wide and narrow, in both languages."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Visit
from tests.browser.screens import Furnished, assert_nothing_found

SERIOUS = ("serious", "critical")
APPEARANCES = [
    pytest.param({}, id="light, wide, English"),
    pytest.param({"dark": True, "narrow": True, "language": "de"}, id="dark, narrow, German"),
]


def faults(screen: Page) -> list[str]:
    found = Axe().run(screen).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {node['html'][:200]}"
        for fault in found
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("how", APPEARANCES)
def test_w94_axe_finds_nothing_serious_on_any_screen(visit: Visit, furnished: Furnished, how: dict) -> None:
    assert_nothing_found(visit, furnished, faults, **how)
