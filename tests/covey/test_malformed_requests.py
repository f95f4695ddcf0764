"""Requests that no browser sends are answered shortly, and without a line in the log for each."""

import logging

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.image_files import file_of
from tests.support.screens import Write

FORM = "application/x-www-form-urlencoded"
UNREADABLE = {
    "many fields": ("&".join(f"field{number}=1" for number in range(1_001)), FORM),
    "much text": (f"body={'x' * 4_200_000}", FORM),
    "another charset": ("title=x", f"{FORM}; charset=utf-7"),
    "many parts": (
        "".join(
            f'--a\r\nContent-Disposition: form-data; name="{n}"\r\n\r\n1\r\n' for n in range(1_001)
        )
        + "--a--",
        "multipart/form-data; boundary=a",
    ),
    "no boundary": ("x", "multipart/form-data"),
}


@pytest.mark.parametrize("path", ["/login", "/w/ops/new"])
@pytest.mark.parametrize("name", UNREADABLE)
def test_a_form_that_cannot_be_read_is_refused_once(
    person: User, wiki: object, caplog: pytest.LogCaptureFixture, name: str, path: str
) -> None:
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    strict.force_login(person)
    content, content_type = UNREADABLE[name]
    with caplog.at_level(logging.ERROR):
        answer = strict.generic("POST", path, content, content_type)
    assert answer.status_code in (400, 403)
    assert "go back" in answer.content.decode().lower()
    assert not caplog.records


@pytest.mark.django_db
def test_an_address_with_endless_parameters_is_refused_quietly(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.raise_request_exception = False
    with caplog.at_level(logging.ERROR):
        assert (
            client.get("/login?" + "&".join(f"q{number}=1" for number in range(1_001))).status_code
            == 400
        )
        assert client.get("/search?q=" + "x" * 20_000).status_code == 400
    assert not caplog.records


@pytest.mark.parametrize(
    "path", ["/w/ops/", "/w/ops/seite", "/w/ops/seite.md", "/w/ops/nirgends", "/healthz"]
)
def test_head_is_get_without_the_text(
    browser: Client, write: Write, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    # Django's test client would take the text away, gunicorn warns of it.
    monkeypatch.setattr(
        "django.test.client.conditional_content_removal", lambda request, response: response
    )
    write("Seite", "Ein Text")
    head, got = browser.head(path), browser.get(path)
    assert head.content == b"" != got.content
    assert head.status_code == got.status_code
    assert int(head["Content-Length"]) > 0


def test_head_of_a_picture_sends_none_of_it(
    browser: Client, monkeypatch: pytest.MonkeyPatch, wiki: object
) -> None:
    monkeypatch.setattr(
        "django.test.client.conditional_content_removal", lambda request, response: response
    )
    file = SimpleUploadedFile("a.png", file_of())
    address = browser.post(
        "/w/ops/pictures", {"picture": file}, headers={"accept": "application/json"}
    ).json()["url"]
    head = browser.head(address)
    assert b"".join(head.streaming_content) == b""
    assert int(head["Content-Length"]) == len(b"".join(browser.get(address).streaming_content)) > 0
