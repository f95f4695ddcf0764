"""The provider that a command tries beside the one in the settings."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.base_command import counted
from embeddings.client import EmbeddingError, active_fingerprint, describe_provider
from embeddings.service import OUTSIDE_ADDRESSES, Choice, using
from wiki.indexing.reindex import describe_outgoing
from wiki.indexing.vector_sets import fill_set, reading_set
from wiki.models import Wiki


def add_candidate_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--provider",
        choices=settings.COVEY_EMBEDDING_PROVIDERS,
        help="try this provider beside the active one; its key stands in COVEY_CANDIDATE_API_KEY",
    )
    parser.add_argument("--model", default="", help="of the provider to try; else its default")
    parser.add_argument("--url", default="", help="of the provider to try; else its default")
    parser.add_argument(
        "--yes", action="store_true", help="do not ask before pages are sent to an outside provider"
    )


@contextmanager
def trying(wiki: Wiki, options: dict[str, Any]) -> Iterator[None]:
    """Fill the set of the provider in the options, which every search reads inside."""
    choice = Choice(
        options["provider"], options["model"], options["url"], settings.COVEY_CANDIDATE_API_KEY
    )
    _check(choice)
    live = active_fingerprint()
    with using(choice):
        if active_fingerprint() == live:
            raise CommandError(f"{live} is the active model already.")
        _announce(wiki, options["yes"])
        _fill(wiki)
        with reading_set():
            yield


def _check(choice: Choice) -> None:
    if choice.url and not choice.url.startswith(("http://", "https://")):
        raise CommandError("--url begins with http:// or https://.")
    if choice.provider in OUTSIDE_ADDRESSES and not choice.key:
        raise CommandError(f"{choice.provider} needs a key: set COVEY_CANDIDATE_API_KEY.")


def _announce(wiki: Wiki, is_agreed: bool) -> None:
    """Tell what is about to leave the house, and go on with a yes alone."""
    provider = describe_provider()
    if provider.is_outside:
        queries = f"Every query is sent to {provider.provider} ({provider.address})."
        sys.stderr.write(f"{describe_outgoing(wiki)} {queries}\n".lstrip())
        if is_agreed:
            return
        if not sys.stdin.isatty():
            raise CommandError("Nothing was sent. Agree with --yes.")
        if input("Send them? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was sent.")


def _fill(wiki: Wiki) -> None:
    try:
        errors = [error for error in tqdm(fill_set(wiki), unit="text", disable=None) if error]
    except EmbeddingError as error:
        raise CommandError(f"{error} What was embedded is kept; the next try goes on.") from error
    if errors:
        sys.stderr.write(f"{counted(len(errors), 'text')} failed, such as: {errors[0]}\n")
