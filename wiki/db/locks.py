from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections

# Advisory locks share one number space in a database; this is covey's part of it.
WIKI_LOCKS = 0x636F7679
PURPOSE_LOCKS = WIKI_LOCKS + 1
PICTURE_LOCKS = WIKI_LOCKS + 2

REEMBEDDING, FILING, COMPARING, MAINTAINING = 1, 2, 3, 4


def lock_wiki(wiki_id: int) -> None:
    """Wait until no other transaction holds this wiki; released with the transaction.

    Taken before any page row, and only after everything that needs the network is done.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [WIKI_LOCKS, wiki_id])


def share_wiki(wiki_id: int) -> None:
    """Wait only while a page of this wiki gets or loses a name: a link that is stored now must see
    it. Taken in the place of `lock_wiki` by writers that need not exclude each other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [WIKI_LOCKS, wiki_id])


def lock_pictures(wiki_id: int) -> None:
    """Wait until no other transaction stores or removes a picture of this wiki: file and row
    change together."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [PICTURE_LOCKS, wiki_id])


@contextmanager
def only_one(purpose: int) -> Iterator[bool]:
    """Yield whether this process alone is inside the block for this purpose; others do not wait.
    The lock lives in a connection of its own and ends with the process."""
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [PURPOSE_LOCKS, purpose])
            is_mine = cursor.fetchone()[0]
            try:
                yield is_mine
            finally:
                # The server notices a closed connection a moment later; whoever asks next would be
                # sent away.
                if is_mine:
                    with suppress(DatabaseError):
                        cursor.execute(
                            "SELECT pg_advisory_unlock(%s, %s)", [PURPOSE_LOCKS, purpose]
                        )
    finally:
        own.close()
