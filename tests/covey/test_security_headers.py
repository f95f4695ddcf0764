"""Whatever covey answers, nothing in it can be framed, run or taken for another kind of file."""

from pathlib import Path

import pytest
from django.conf import settings as used
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.api_client import API
from tests.support.image_files import file_of

STYLE = "test-answer-headers.css"


@pytest.fixture
def static_file():
    """whitenoise looks at the folder once, when a client is made."""
    file = Path(used.STATIC_ROOT) / STYLE
    file.write_text("a{}")
    yield f"/static/{STYLE}"
    file.unlink()


@pytest.fixture
def answers(person, write, api, monkeypatch, static_file):
    """One of each kind, with the status that it has."""
    write("Seite", "Ein Text")
    browser = Client(raise_request_exception=False)
    browser.force_login(person)
    picture = SimpleUploadedFile("a.png", file_of())
    stored = browser.post(
        "/w/ops/pictures", {"picture": picture}, headers={"accept": "application/json"}
    ).json()["url"]
    monkeypatch.setattr("covey.health_endpoints.MigrationExecutor", fail)
    monkeypatch.setattr("wiki.api.status.count_embeddings", fail)

    def get(path, status, method="GET", client=browser, **headers):
        return status, path, client.generic(method, path, headers=headers)

    return [
        get("/", 200),
        get("/w/ops/seite", 200),
        get("/w/ops/seite.md", 200),
        get("/w/ops/seite", 200, "HEAD"),
        get(stored, 200),
        get("/w/ops/feed", 200),
        get("/w/ops/feed?key=falsch", 404, client=Client()),
        get("/w/ops/Seite", 302),
        get("/w/ops", 301),
        get("/w/ops/nirgends", 404),
        get("/nirgends/und/nie", 404),
        get("/w/ops/settings", 403),
        get("/logout", 405),
        get("/w/ops/", 400, Host="evil.example"),
        get(f"/login?{'&'.join(f'q{number}=1' for number in range(1_001))}", 400),
        get("/login", 413, "POST", **{"Content-Length": "99999999"}),
        get("/readyz", 500),
        get("/healthz", 200),
        get(static_file, 200),
        get("/static/nirgends.css", 404),
        get("/admin/", 302),
        get("/admin/login/", 200, client=Client()),
        get("/login", 200, client=Client()),
        get(f"{API}/docs", 200),
        get(f"{API}/openapi.json", 200),
        get(f"{API}/nirgends", 404),
        get(f"{API}/pages", 401),
        get(f"{API}/pages", 405, "OPTIONS"),
        get(f"{API}/pages", 200, Authorization=f"Bearer {api.token}"),
        get(f"{API}/pages", 400, Host="evil.example"),
        get(f"{API}/pages", 411, **{"Transfer-Encoding": "chunked"}),
        get(f"{API}/status", 500, Authorization=f"Bearer {api.token}"),
    ]


def fail(*args):
    raise ZeroDivisionError("geheim")


def test_every_kind_of_answer_has_its_headers(answers):
    for status, path, answer in answers:
        headers, what = answer.headers, f"{path[:60]} {status}"
        assert answer.status_code == status, what
        assert headers["X-Frame-Options"] == "DENY", what
        assert headers["X-Content-Type-Options"] == "nosniff", what
        # A feed has its key in the address.
        assert headers["Referrer-Policy"] == (
            "no-referrer" if "/feed" in path else "same-origin"
        ), what
        policy = headers["Content-Security-Policy"]
        # A picture may do nothing at all.
        assert "sandbox" in policy or (
            "frame-ancestors 'none'" in policy and "unsafe" not in policy
        ), what
        assert "geheim" not in str(getattr(answer, "content", "")), what


def test_no_stranger_s_host_stands_in_an_answer(client, person):
    for path in (
        "/login",
        "/",
        "/nirgends",
        "/admin/",
        f"{API}/docs",
        "/password/forgotten",
        "/static/x.css",
    ):
        for headers in (
            {"Host": "evil.example"},
            {"X-Forwarded-Host": "evil.example"},
            {"Forwarded": "host=evil.example"},
        ):
            answer = client.get(path, headers=headers)
            shown = f"{answer.headers} {answer.content!r}"
            assert "evil.example" not in shown, (path, headers)


def test_a_host_with_more_in_it_is_refused(client):
    for host in (
        "127.0.0.1@evil.example",
        "127.0.0.1:80:80",
        "127.0.0.1/evil",
        "127.0.0.1 evil",
        "[::1",
        ".127.0.0.1",
        "",
    ):
        assert client.get("/login", headers={"Host": host}).status_code == 400, host
