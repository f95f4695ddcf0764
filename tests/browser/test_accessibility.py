"""axe-core finds no serious fault on any screen, in both appearances, wide and narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page

from tests.browser.conftest import Visit
from tests.screens import Write

SERIOUS = ("serious", "critical")
# What has its name in the address stands below; every screen for people is here (test_every_screen_is_looked_at).
SCREENS = {
    "login": "/login",
    "home": "/",
    "index": "/w/ops/",
    "new": "/w/ops/new",
    "search": "/w/ops/search?q=runner",
    "trash": "/w/ops/trash",
    "page": "/w/ops/runner",
    "mentions": "/w/ops/runner/mentions",
    "edit": "/w/ops/runner/edit",
    "history": "/w/ops/runner/history",
    "revision": "/w/ops/runner/history/1",
    "page_trash": "/w/ops/runner/trash",
    "password_change": "/password",
}

TEXT = """# One

Text with `code`, **bold**, ~~gone~~, [a link](https://example.org) and a note.[^1]

## Two

- [ ] open
- [x] done

### Three

```python
def run(x):
    return 'a' + str(1)  # why
```

| a | b |
|---|--:|
| 1 | 2 |

[^1]: The note.
"""


def faults(screen: Page) -> list[str]:
    found = Axe().run(screen).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {node['html'][:200]}"
        for fault in found
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]


@pytest.fixture
def some_pages(write: Write) -> None:
    write("Build server", "It has a [[Runner]] and [[Nothing yet]].", type="system", tags=["ci"])
    write("Runner", TEXT, type="problem", tags=["ci", "linux"])


@pytest.mark.parametrize("name", SCREENS)
def test_axe_finds_nothing_serious(visit: Visit, person: User, some_pages: None, name: str) -> None:
    as_user = None if name == "login" else person
    assert faults(visit(SCREENS[name], as_user=as_user)) == []
    assert faults(visit(SCREENS[name], as_user=as_user, dark=True, narrow=True, language="de")) == []
