"""What a model of the house costs is said before pages are embedded with it."""

import logging

import pytest
from django.core.management import call_command

from embeddings.measurement import describe_duration
from wiki.indexing.price import describe_price
from wiki.models import Page
from wiki.schedule import ensure_schedules

E5 = "multilingual-e5-small"


@pytest.fixture
def three_pages(write):
    """Of 1,500 characters each, embedded with builtin."""
    for number in range(3):
        write(f"Seite {number}", "x" * 1_492)
    assert {page.embed_model for page in Page.objects.all()} == {"builtin:hash:256"}


def test_the_price_is_told_with_the_number_of_pages(three_pages, use) -> None:
    use("ollama", model=E5)
    assert describe_price() == (
        "3 pages with 4500 characters are going to be embedded with multilingual-e5-small: about "
        "3 seconds on one core. From then on each search waits 30 ms for its vector, and saving a "
        "page 1000 ms. `manage.py measure_embedding` measures it here."
    )


def test_check_says_it_before_the_start_and_the_start_before_the_run(
    three_pages, use, capsys, caplog
) -> None:
    caplog.set_level(logging.INFO)
    server = use("ollama", model=E5)
    call_command("check")
    assert "covey.I002" in capsys.readouterr().err
    ensure_schedules()
    assert any(message.startswith("3 pages with") for message in caplog.messages)
    assert server.requests == []


@pytest.mark.parametrize(
    ("provider", "model"), [("builtin", ""), ("ollama", "embeddinggemma"), ("openai", E5)]
)
def test_nothing_is_said_of_a_model_whose_price_is_unknown(
    three_pages, use, provider, model
) -> None:
    use(provider, model=model)
    Page.objects.update(embed_model="other:model:256")
    assert describe_price() == ""


def test_nothing_is_said_where_nothing_is_left_to_embed(db, use) -> None:
    use("ollama", model=E5)
    assert describe_price() == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.5, "less than a second"),
        (1.5, "about 1 second"),
        (2, "about 2 seconds"),
        (119, "about 119 seconds"),
        (120, "about 2 minutes"),
        (7200, "about 2 hours"),
        (172_800, "about 2 days"),
    ],
)
def test_a_duration_has_two_of_its_unit(seconds: float, words: str) -> None:
    assert describe_duration(seconds) == words
