"""Redirects, web pages, proxies and keys: what stands behind an address, and what it may see."""

import pytest

from embeddings.client import EmbeddingError, embed_in_bulk, embed_query
from embeddings.text import Document
from tests.support.embedding_fixtures import embed_all, raised_by
from tests.support.embedding_server import (
    EmbeddingServer,
    Reply,
    error,
    hang,
    openai,
    reset,
)

SECRET = "Passwort der Datenbank"


def test_a_compatible_server_at_a_bare_address_is_found_once_and_remembered(use):
    def script(request):
        return (
            openai(request)
            if request.path == "/v1/embeddings"
            else Reply(404, {"error": {"message": "File Not Found"}})
        )

    server = use("ollama", script)
    embed_query("eins")
    embed_all(["zwei"])
    assert [request.path for request in server.requests] == [
        "/api/embed",
        "/v1/embeddings",
        "/v1/embeddings",
    ]
    assert "keep_alive" not in server.requests[1].body


def test_an_address_that_knows_neither_form_is_a_wrong_setting_each_time(use):
    server = use(
        "ollama",
        lambda request: Reply(404, raw=b"<h1>not here</h1>", headers={"Content-Type": "text/html"}),
    )
    for _ in range(2):
        refused = raised_by()
        assert refused.permanent
        assert "COVEY_EMBEDDING_URL" in refused.remedy
    assert [request.path for request in server.requests] == ["/api/embed", "/v1/embeddings"] * 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_not_sent_on(use, status):
    elsewhere = EmbeddingServer()
    use(
        "openai",
        lambda request: Reply(status, {}, headers={"Location": f"{elsewhere.url}/v1/embeddings"}),
    )
    refused = raised_by()
    assert refused.permanent
    assert "redirects" in refused.message
    assert str(elsewhere.port) not in str(refused)
    assert elsewhere.requests == []
    elsewhere.stop()


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "text/plain", ""])
def test_a_web_page_is_a_readable_error(use, kind):
    page = f"<!DOCTYPE html><title>Anmeldung</title>{SECRET}".encode()
    use("ollama", lambda request: Reply(200, raw=page, headers={"Content-Type": kind}))
    refused = raised_by()
    assert "sent a web page where JSON was expected" in refused.message
    assert SECRET not in str(refused)
    assert "Anmeldung" not in str(refused)


@pytest.mark.parametrize("status", [400, 403, 500, 502, 503])
def test_a_web_page_with_an_error_status_counts_by_its_status(use, status):
    use(
        "ollama",
        lambda request: Reply(
            status, raw=b"<html>" + SECRET.encode(), headers={"Content-Type": "text/html"}
        ),
    )
    assert str(status) in raised_by().message


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5h://127.0.0.1:9", "kaputt://x"])
def test_a_proxy_of_the_environment_does_not_capture_a_service_in_the_house(
    use, monkeypatch, name, proxy
):
    monkeypatch.setenv(name, proxy)
    use("ollama")
    assert embed_query("eins") is not None


@pytest.mark.parametrize("proxy", ["socks5h://127.0.0.1:9", "kaputt://x"])
def test_a_proxy_that_cannot_be_used_is_a_clear_error(settings, waits, monkeypatch, proxy):
    monkeypatch.setenv("ALL_PROXY", proxy)
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_API_KEY = "openai", "sk-geheim"
    settings.COVEY_EMBEDDING_URL = "https://embeddings.invalid"
    assert raised_by().message


def test_the_key_goes_as_a_bearer(use):
    for provider in ("voyage", "openai", "ollama"):
        server = use(provider)
        embed_query("eins")
        assert server.requests[-1].headers["authorization"] == "Bearer sk-geheim"
        assert "api-key" not in server.requests[-1].headers


def test_without_a_key_no_header_is_sent(use):
    server = use("ollama", key="")
    embed_query("eins")
    assert "authorization" not in server.requests[0].headers


def test_azure_gets_its_own_header_and_the_query_last(use, server):
    use(
        "openai",
        url=f"{server.url}/openai/deployments/klein/?api-version=2024-02-01",
        model="klein",
    )
    embed_query("eins")
    request = server.requests[0]
    assert request.path == "/openai/deployments/klein/embeddings?api-version=2024-02-01"
    assert request.headers["api-key"] == "sk-geheim"
    assert "authorization" not in request.headers


def test_user_and_password_of_the_address_open_a_proxy(use, server):
    use("ollama", url=server.url.replace("//", "//anna:ge%40heim@"), key="")
    embed_query("eins")
    assert server.requests[0].headers["authorization"] == "Basic YW5uYTpnZUBoZWlt"


MISBEHAVIOURS = {
    "401": lambda request: error(401, f"Incorrect API key provided: sk-geheim. {SECRET}"),
    "400": lambda request: error(400, f"bad input: {request.texts} sk-geheim {SECRET}"),
    "429": lambda request: error(429, f"sk-geheim {SECRET}"),
    "500": lambda request: error(500, f"sk-geheim {SECRET}"),
    "model": lambda request: Reply(json={**openai(request).json, "model": f"sk-geheim {SECRET}"}),
    "html": lambda request: Reply(raw=f"<html>sk-geheim {SECRET}".encode()),
    "reset": lambda request: reset,
    "hang": lambda request: hang,
    "redirect": lambda request: Reply(302, {}, headers={"Location": f"http://sk-geheim/{SECRET}"}),
}


@pytest.mark.parametrize("name", MISBEHAVIOURS)
@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_no_key_no_text_and_no_answer_stands_in_an_error_or_a_log(
    use, hurry, server, caplog, name, provider
):
    caplog.set_level("DEBUG", logger="embeddings")
    url = server.url.replace("//", "//anna:passwort@") + "?token=abcdef"
    use(provider, MISBEHAVIOURS[name], url=url)
    said = []
    for call in (
        lambda: list(
            embed_in_bulk([Document("Titel", f"{SECRET} eins"), Document("", f"{SECRET} zwei")])
        ),
        lambda: embed_query(SECRET),
    ):
        try:
            call()
        except EmbeddingError as failure:
            said.append(str(failure))
    assert all(f"{provider} (" in words for words in said)
    assert said or name == "model"
    logged = "\n".join(
        record.getMessage() for record in caplog.records if record.name.startswith("embeddings")
    )
    for secret in ("sk-geheim", SECRET, "passwort", "abcdef", "anna"):
        assert secret not in logged + "".join(said)
