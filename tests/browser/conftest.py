"""A real browser: the system's Chromium, driven by Playwright against the live server of the
test."""

import os
import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.screens import Furnished, furnish
from wiki.models import Wiki

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
MISSING = "there is no Chromium on this machine (apt install chromium, or CHROMIUM=/path/to/it)"
# Chromium asks many hosts of its maker for things of its own unless it is told not to.
_QUIET = (
    "--disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync "
    "--disable-gpu"
).split()
TIMEOUT = 10_000
expect.set_options(timeout=TIMEOUT)
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items if not CHROMIUM else []:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    # Playwright's own event loop runs in this thread; the ORM of the test is not called from within
    # it. Both end with these tests: `check --deploy` refuses the variable.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    arguments = [*_QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


Visit = Callable[..., Page]


@pytest.fixture
def visit(chromium: Browser, live_server) -> Iterator[Visit]:
    """Opens a screen of its own: visit("/w/ops/", as_user=person, dark=True, narrow=True,
    script=False).

    At the end no request may have left the machine, no screen may have written into the console,
    and none may have failed on the server.
    """
    opened: list[BrowserContext] = []
    troubles: list[str] = []

    def open_screen(
        address: str = "/",
        *,
        as_user: User | None = None,
        dark: bool = False,
        narrow: bool = False,
        script: bool = True,
        language: str = "en",
    ) -> Page:
        context = chromium.new_context(
            base_url=live_server.url,
            viewport=NARROW if narrow else WIDE,
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            locale=language,
            has_touch=narrow,
            # What glides into its place would be looked for while it is on its way.
            reduced_motion="reduce",
        )
        context.set_default_timeout(TIMEOUT)
        opened.append(context)
        _watch(context, live_server.url, troubles)
        if as_user:
            context.add_cookies([_session(as_user, live_server.url)])
        screen = context.new_page()
        screen.goto(address)
        return screen

    yield open_screen
    for context in opened:
        context.close()
    assert troubles == []


@pytest.fixture
def furnished(wiki: Wiki, settings) -> Furnished:
    """A wiki with something on every screen."""
    settings.HAS_MAIL = True
    return furnish(wiki)


def _session(user: User, url: str) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    name = "covey_session"
    return {"name": name, "value": client.cookies[name].value, "url": url}


def _watch(context: BrowserContext, own: str, troubles: list[str]) -> None:
    """Looks at every tab of a browser, also at those that a screen opens."""
    host = urlsplit(own).netloc

    def on_request(request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != host:
            troubles.append(f"asked {request.url}")

    def on_response(response) -> None:
        if response.status >= 500:
            troubles.append(f"{response.status} at {response.url}")

    def on_console(message) -> None:
        # Chromium tells of every answer of 400 and more that a journey may mean to get.
        if not message.text.startswith("Failed to load resource"):
            troubles.append(f"console: {message.text} ({message.location.get('url', '')})")

    context.on("request", on_request)
    context.on("response", on_response)
    context.on("console", on_console)
    context.on("weberror", lambda error: troubles.append(f"error: {error.error}"))
