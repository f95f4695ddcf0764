"""What people do and look for, said shortly."""

from playwright.sync_api import Locator, Page


def heading(where: Page | Locator, name: str) -> Locator:
    return where.get_by_role("heading", name=name, exact=True)


def button(where: Page | Locator, name: str) -> Locator:
    return where.get_by_role("button", name=name, exact=True)


def link(where: Page | Locator, name: str) -> Locator:
    return where.get_by_role("link", name=name)


def body_of(screen: Page) -> Locator:
    """The field that the text of a page is written in, as soon as the last script of the form
    has run."""
    form = screen.locator("#edit", has=screen.locator("#picture-upload:not([hidden])"))
    return form.get_by_label("Text", exact=True)


def type_body(screen: Page, text: str, at_end: bool = False) -> None:
    """Key by key, as a person does."""
    body_of(screen).focus()
    if at_end:
        screen.keyboard.press("Control+End")
    screen.keyboard.type(text)
