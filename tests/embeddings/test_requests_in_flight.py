"""A service is never asked for more at once than it was set."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest
from django.db import connection

from embeddings import timeouts
from embeddings.client import EmbeddingError, embed_query
from tests.support.embedding_fixtures import await_abandoned_calls
from tests.support.embedding_server import any_form, hang
from tests.support.writing import create_page

PROVIDERS = ("ollama", "voyage", "openai")


class Counting:
    """Answers slowly, and counts the most requests that were under way at once."""

    def __init__(self):
        self.now = self.most = 0
        self.lock = Lock()

    def __call__(self, request):
        def answer(server, handler):
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(0.05)
            with self.lock:
                self.now -= 1
            handler._send(any_form(request))

        return answer


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("limit", [1, 2, 5])
@pytest.mark.django_db(transaction=True)
def test_eight_people_save_at_once(use, settings, author_of_threads, provider, limit):
    settings.COVEY_EMBEDDING_REQUESTS = limit
    counting = Counting()
    server = use(provider, counting)
    wiki, author = author_of_threads

    def save(number):
        try:
            return create_page(wiki, title=f"Seite {number}", body="Text", author=author)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(save, range(8)))
    assert counting.most == limit
    assert len(server.requests) == 8
    assert all(page.embed_model for page in pages)


def test_a_request_that_nobody_waits_for_still_counts(use, settings, hurry, monkeypatch):
    settings.COVEY_EMBEDDING_REQUESTS = 1
    monkeypatch.setattr(timeouts, "BREAKER_SECONDS", 0)
    server = use("ollama", lambda request: hang)
    for _ in range(3):
        with pytest.raises(EmbeddingError):
            embed_query("eins")
    assert len(server.requests) <= 2
    server.released.set()
    await_abandoned_calls()
    server.script = any_form
    assert embed_query("zwei") is not None
