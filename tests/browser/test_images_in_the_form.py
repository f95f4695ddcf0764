"""Pictures pasted, dropped or chosen while somebody writes."""

import base64
import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, type_body
from tests.support.image_files import file_of
from wiki.models import Picture, Wiki

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"/>'
# The browser's own clipboard and a drag from the desktop bring the same events with the same files.
BRING = """([kind, name, type, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, { type }));
  const field = document.getElementById("id_body");
  const made = { paste: () => new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
                 drop: () => new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }) };
  field.focus();
  return field.dispatchEvent(made[kind]());
}"""


def bring(
    screen: Screen, kind: str, name: str, content: bytes, media_type: str = "image/png"
) -> None:
    expect(body_of(screen)).to_be_visible()
    is_left_to_browser = screen.evaluate(
        BRING, [kind, name, media_type, base64.b64encode(content).decode()]
    )
    assert not is_left_to_browser


@pytest.mark.parametrize("kind", ["paste", "drop"])
def test_a_picture_goes_into_the_text_where_the_cursor_is(
    visit: Visit, person: User, wiki: Wiki, kind: str
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    type_body(screen, "Before.\n")
    bring(screen, kind, "A graph.png", file_of())
    expect(body_of(screen)).to_have_value(re.compile(r"^Before\.\n\n?!\[A graph\]\(\S+\.png\)\n$"))
    expect(screen.locator("#preview img")).to_be_visible()
    button(screen, "Save").click()
    picture = screen.get_by_role("article").get_by_role("img", name="A graph")
    expect(picture).to_have_js_property("naturalWidth", 40)
    assert Picture.objects.get().name == "A graph.png"


def test_a_chosen_file_is_the_same(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    expect(body_of(screen)).to_be_visible()
    files = [
        {"name": f"{n}.png", "mimeType": "image/png", "buffer": file_of()} for n in ("one", "two")
    ]
    screen.locator("#picture-upload input[type=file]").set_input_files(files)
    expect(body_of(screen)).to_have_value(re.compile(r"!\[one\]\(\S+\)\s+!\[two\]\(\S+\)"))


def test_a_drawing_with_a_script_is_refused_with_its_reason(
    visit: Visit, person: User, wiki: Wiki
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    type_body(screen, "Before.")
    bring(screen, "drop", "evil.svg", SVG, "image/svg+xml")
    note = screen.locator("#picture-upload").get_by_role("status")
    expect(note).to_contain_text("“evil.svg”")
    expect(note).to_contain_text("SVG")
    expect(body_of(screen)).to_have_value("Before.")
    assert not Picture.objects.exists()
    assert screen.evaluate("window.hacked") is None


def test_text_that_brings_a_picture_of_itself_is_pasted_as_text(
    visit: Visit, person: User, wiki: Wiki
) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    expect(body_of(screen)).to_be_visible()
    left_to_browser = screen.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["x"], "image.png", { type: "image/png" }));
          data.setData("text/plain", "1\\t2");
          const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
          return document.getElementById("id_body").dispatchEvent(event);
        }"""
    )
    assert left_to_browser
    assert not Picture.objects.exists()


def test_saving_waits_for_the_pictures(visit: Visit, person: User, wiki: Wiki) -> None:
    screen = visit("/w/ops/new?title=Runner", as_user=person)
    waiting = []
    screen.route("**/w/ops/pictures", lambda route: waiting.append(route))
    bring(screen, "paste", "slow.png", file_of())
    expect(body_of(screen)).to_have_value("![Uploading slow.png…]()\n")
    button(screen, "Save").click()
    expect(
        screen.get_by_text("The page will be saved as soon as the pictures are there.")
    ).to_be_visible()
    waiting[0].continue_()
    expect(screen.get_by_role("article").get_by_role("img", name="slow")).to_be_visible()
