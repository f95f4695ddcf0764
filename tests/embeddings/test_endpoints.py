"""The address that is called, from whatever an operator writes."""

import pytest

from embeddings.client import describe_provider
from embeddings.endpoints import ApiFormat, endpoint_for, is_inside

HOST = "http://host:8080"
AZURE = "https://res.openai.azure.com"
VERSION = "api-version=2024-02-01"
OPENAI_URLS = {
    HOST: f"{HOST}/v1/embeddings",
    f"{HOST}/": f"{HOST}/v1/embeddings",
    f"{HOST}//": f"{HOST}/v1/embeddings",
    f"{HOST}/v1": f"{HOST}/v1/embeddings",
    f"{HOST}/v1/": f"{HOST}/v1/embeddings",
    f"{HOST}//v1//": f"{HOST}/v1/embeddings",
    f"{HOST}/v1/embeddings": f"{HOST}/v1/embeddings",
    f"{HOST}/v1/embeddings/": f"{HOST}/v1/embeddings",
    f"{HOST}/v1?a=b": f"{HOST}/v1/embeddings?a=b",
    f"{HOST}/v1#part": f"{HOST}/v1/embeddings",
    f"{HOST}/proxy": f"{HOST}/proxy/v1/embeddings",
    f"{HOST}/proxy/v1": f"{HOST}/proxy/v1/embeddings",
    f"{HOST}/api/paas/v4": f"{HOST}/api/paas/v4/embeddings",
    f"{HOST}/v1beta/openai/": f"{HOST}/v1beta/openai/embeddings",
    f"{HOST}/embeddings": f"{HOST}/embeddings",
    "http://[::1]:8080/v1": "http://[::1]:8080/v1/embeddings",
    "https://api.openai.com": "https://api.openai.com/v1/embeddings",
    # Azure, by deployment
    f"{AZURE}/openai/deployments/d/embeddings?{VERSION}": f"{AZURE}/openai/deployments/d/embeddings?{VERSION}",
    f"{AZURE}/openai/deployments/d/embeddings/?{VERSION}": f"{AZURE}/openai/deployments/d/embeddings?{VERSION}",
    f"{AZURE}/openai/deployments/d?{VERSION}": f"{AZURE}/openai/deployments/d/embeddings?{VERSION}",
    f"{AZURE}//openai/deployments/d/?{VERSION}": f"{AZURE}/openai/deployments/d/embeddings?{VERSION}",
    f"{AZURE}/openai/deployments/d": f"{AZURE}/openai/deployments/d/embeddings?api-version=2024-10-21",
    # Azure, version 1
    AZURE: f"{AZURE}/openai/v1/embeddings",
    f"{AZURE}/": f"{AZURE}/openai/v1/embeddings",
    f"{AZURE}/openai": f"{AZURE}/openai/v1/embeddings",
    f"{AZURE}/openai/v1": f"{AZURE}/openai/v1/embeddings",
    f"{AZURE}/openai/v1/": f"{AZURE}/openai/v1/embeddings",
    f"{AZURE}/openai/v1/embeddings": f"{AZURE}/openai/v1/embeddings",
    f"{AZURE}/openai/v1/embeddings?api-version=preview": f"{AZURE}/openai/v1/embeddings?api-version=preview",
}


@pytest.mark.parametrize(("written", "called"), OPENAI_URLS.items())
def test_every_form_of_an_address_becomes_one_endpoint_of_openai(written, called):
    assert endpoint_for("openai", written).url == called
    assert endpoint_for("openai", called).url == called


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/embeddings", "/v1/embeddings/"])
def test_every_form_of_an_address_becomes_one_endpoint_of_voyage(path):
    endpoint = endpoint_for("voyage", f"https://api.voyageai.com{path}")
    assert endpoint.url == "https://api.voyageai.com/v1/embeddings"
    assert endpoint.api_format == ApiFormat.VOYAGE


OLLAMA_URLS = {
    "": ("/api/embed", ApiFormat.OLLAMA),
    "/": ("/api/embed", ApiFormat.OLLAMA),
    "/api": ("/api/embed", ApiFormat.OLLAMA),
    "/api/": ("/api/embed", ApiFormat.OLLAMA),
    "/api/embed": ("/api/embed", ApiFormat.OLLAMA),
    "/api/embed/": ("/api/embed", ApiFormat.OLLAMA),
    "/api/embeddings": ("/api/embed", ApiFormat.OLLAMA),
    "/ollama": ("/ollama/api/embed", ApiFormat.OLLAMA),
    "/v1": ("/v1/embeddings", ApiFormat.OPENAI),
    "/v1/": ("/v1/embeddings", ApiFormat.OPENAI),
    "/v1/embeddings": ("/v1/embeddings", ApiFormat.OPENAI),
    "/v1/embeddings/": ("/v1/embeddings", ApiFormat.OPENAI),
    "/ollama/v1": ("/ollama/v1/embeddings", ApiFormat.OPENAI),
}


@pytest.mark.parametrize(("path", "called"), OLLAMA_URLS.items())
def test_ollama_is_spoken_to_in_its_own_form_except_at_v1(path, called):
    endpoint = endpoint_for("ollama", f"http://embeddings:11434{path}")
    assert (endpoint.url, endpoint.api_format) == (f"http://embeddings:11434{called[0]}", called[1])


@pytest.mark.parametrize("path", ["/api/embed", "/v1", "/v1/embeddings"])
def test_an_address_that_says_its_form_has_no_second_one(path):
    assert endpoint_for("ollama", f"http://embeddings:11434{path}").fallback == ""


def test_a_bare_address_may_turn_out_to_speak_the_other_form():
    assert endpoint_for("ollama", "http://h/x").fallback == "http://h/x/v1/embeddings"


def test_user_and_password_leave_the_address():
    endpoint = endpoint_for("openai", "https://anna:ge%40heim@proxy.example.test/v1?key=abc")
    assert endpoint.url == "https://proxy.example.test/v1/embeddings?key=abc"
    assert (endpoint.user, endpoint.password) == ("anna", "ge@heim")
    assert endpoint.address == "https://proxy.example.test/v1/embeddings"


INSIDE = (
    "127.0.0.1 127.1.2.3 10.1.2.3 192.168.1.1 172.16.0.1 100.64.0.1 169.254.0.1 ::1 fd00::1 "
    "fe80::1%eth0 localhost"
)
INSIDE += (
    " embeddings EMBEDDINGS ollama.localhost host.docker.internal nas.local nas.lan "
    "nas.home.arpa embeddings."
)
OUTSIDE = (
    "api.openai.com 8.8.8.8 172.32.0.1 2606:4700::1111 wiki.example.org local.example.com "
    "10.0.0.1.nip.io"
)


@pytest.mark.parametrize("host", INSIDE.split())
def test_hosts_of_the_house(host):
    assert is_inside(host)


@pytest.mark.parametrize("host", OUTSIDE.split())
def test_hosts_of_the_world(host):
    assert not is_inside(host)


@pytest.mark.parametrize(
    ("provider", "url", "is_outside"),
    [
        ("builtin", "", False),
        ("ollama", "", False),
        ("ollama", "http://embeddings:11434", False),
        ("ollama", "https://ollama.example.org", True),
        ("voyage", "", True),
        ("openai", "", True),
        ("openai", "https://res.openai.azure.com/openai/v1", True),
        # A proxy in the house hands on what it gets.
        ("openai", "http://litellm:4000", True),
    ],
)
def test_whether_texts_leave_the_house(settings, provider, url, is_outside):
    settings.COVEY_EMBEDDING_PROVIDER, settings.COVEY_EMBEDDING_URL = provider, url
    assert describe_provider().is_outside is is_outside


def test_the_description_carries_no_secret(settings):
    settings.COVEY_EMBEDDING_PROVIDER = "openai"
    settings.COVEY_EMBEDDING_API_KEY = "sk-geheim"
    settings.COVEY_EMBEDDING_URL = "https://anna:passwort@proxy.example.test/v1?key=abc"
    described = describe_provider()
    assert described.address == "https://proxy.example.test/v1/embeddings"
    assert not any(secret in repr(described) for secret in ("sk-geheim", "passwort", "abc", "anna"))


def test_ollama_alone_has_the_address_that_compose_sets(settings):
    settings.COVEY_OLLAMA_URL = "http://embeddings:11434"
    addresses = {}
    for provider in ("ollama", "voyage", "openai"):
        settings.COVEY_EMBEDDING_PROVIDER = provider
        addresses[provider] = describe_provider().address
    assert addresses == {
        "ollama": "http://embeddings:11434/api/embed",
        "voyage": "https://api.voyageai.com/v1/embeddings",
        "openai": "https://api.openai.com/v1/embeddings",
    }
