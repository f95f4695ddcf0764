"""How many requests a token may make within a minute: a fuse against a loop that runs away."""

import logging
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from wiki.models import ApiToken

logger = logging.getLogger(__name__)

WINDOW = 60

# In one statement, so that all processes and threads count together. The row is rewritten in place
# (no index on it changes) and its table has no write-ahead log: 0.1 ms, where the lookup of the
# token costs 0.5.
_COUNT = f"""
    INSERT INTO wiki_requestcount AS kept (token_id, began_at, count)
        VALUES (%s, statement_timestamp(), 1)
    ON CONFLICT (token_id) DO UPDATE SET
        count = CASE WHEN kept.began_at > statement_timestamp() - interval '{WINDOW} s'
            THEN kept.count + 1 ELSE 1 END,
        began_at = CASE WHEN kept.began_at > statement_timestamp() - interval '{WINDOW} s'
            THEN kept.began_at ELSE statement_timestamp() END
    RETURNING count, ceil(extract(epoch FROM began_at - statement_timestamp()) + {WINDOW})::int
"""


@dataclass(frozen=True)
class Quota:
    """What a token may still ask for: `left` of `limit` requests within the next `seconds`."""

    limit: int
    left: int
    seconds: int


class TooManyRequests(Exception):
    """The token has used up its minute; nothing was done."""

    def __init__(self, allowance: Quota) -> None:
        super().__init__(
            f"This token may make {allowance.limit} requests a minute and has made more. "
            f"Wait {allowance.seconds} s before the next one, and look whether a loop is running "
            f"away."
        )
        self.allowance = allowance


def limit_of(token: ApiToken) -> int:
    """Requests a minute; 0 for as many as it likes."""
    return (
        settings.COVEY_REQUESTS_PER_MINUTE
        if token.requests_per_minute is None
        else token.requests_per_minute
    )


def count_request(token: ApiToken) -> Quota | None:
    """Counts a request of this token; None where nothing is counted. Raises TooManyRequests."""
    limit = limit_of(token)
    if not limit:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [token.pk])
        count, seconds = cursor.fetchone()
    allowance = Quota(limit, max(0, limit - count), max(1, seconds))
    if count > limit:
        if count == limit + 1:
            logger.warning(
                "Token %s of agent %s made more than %s requests a minute.",
                token.pk,
                token.agent_id,
                limit,
            )
        raise TooManyRequests(allowance)
    return allowance
