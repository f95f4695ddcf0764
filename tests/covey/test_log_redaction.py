"""No token stands in a log, wherever a client put it and whoever writes the line."""

import logging

import pytest
from django.test import Client

from covey.log_redaction import install_log_redaction
from tests.support.api_client import API

TOKEN = "covey_" + "Ab-9_" * 8 + "xyz"


@pytest.fixture(autouse=True)
def hidden():
    before = logging.getLogRecordFactory()
    install_log_redaction()
    yield
    logging.setLogRecordFactory(before)


def line_of(message, *args, error=None):
    exc_info = (type(error), error, None) if error else None
    record = logging.getLogger("gunicorn.error").makeRecord(
        "x", logging.ERROR, "f", 1, message, args, exc_info
    )
    return logging.Formatter("%(message)s").format(record)


@pytest.mark.parametrize(
    ("message", "args"),
    [
        # As gunicorn writes it of requests that it cannot read.
        (
            "Invalid request from ip=127.0.0.1: Invalid HTTP Header: %r",
            (f"Authorization Bearer {TOKEN}",),
        ),
        ("Invalid HTTP request line: 'GET /api/v1/pages?token=%s'", (TOKEN,)),
        ("Invalid HTTP method: 'BEARER-%s'", (TOKEN,)),
        ("Internal Server Error: /api/v1/pages/%s", (TOKEN,)),
        (f"Authorization: bearer {TOKEN}", ()),
        ("{'HTTP_AUTHORIZATION': 'Bearer %s'}", ("one-of-another-form",)),
    ],
)
def test_no_line_has_a_token(message, args):
    line = line_of(message, *args)
    assert "…" in line
    assert TOKEN[6:] not in line
    assert "one-of-another-form" not in line


def test_what_an_exception_says_has_no_token():
    line = line_of(
        "It failed",
        error=ValueError(f"header 'Authorization: Bearer {TOKEN}' in /invitation/geheim"),
    )
    assert "ValueError: header 'Authorization: Bearer …' in /invitation/…" in line


@pytest.mark.parametrize(
    "line",
    [
        "covey is ready: http://127.0.0.1:8494",
        "covey_session covey_csrf covey_page_names",
        "The bearer, at last",
    ],
)
def test_other_lines_stay_as_they_are(line):
    assert line_of(line) == line


@pytest.mark.parametrize("where", [f"/status?token={TOKEN}", f"/pages/{TOKEN}", f"/{TOKEN}"])
def test_a_token_in_an_address_is_in_no_log_and_no_page_of_an_error(db, monkeypatch, caplog, where):
    def fail(*args):
        raise ZeroDivisionError(TOKEN)

    monkeypatch.setattr("wiki.api.access.find_token", fail)
    client = Client(raise_request_exception=False)
    for headers in ({"Authorization": f"Bearer {TOKEN}"}, {}):
        answer = client.get(API + where, headers=headers)
        assert answer.status_code in (401, 404, 500)
        assert TOKEN not in answer.content.decode()
    assert TOKEN not in caplog.text
