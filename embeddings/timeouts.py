"""How long covey waits for a service. Tests make these small."""

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """`connect` and `total` bound one request in seconds, `tries` how often it is sent unchanged.

    Waits between tries double from `first_wait`; a service that asks for more than `longest_wait`
    gets the whole call back as an error that says when to come again.
    """

    connect: float
    total: float
    tries: int
    first_wait: float
    longest_wait: float


# Somebody waits. `total` is long all the same: a request that is given up makes Ollama give up
# loading its model, so the call goes on in the background and nobody waits for it any longer than
# SHORT_SECONDS.
SHORT = RetryPolicy(connect=1.0, total=120.0, tries=2, first_wait=0.2, longest_wait=0.5)
SHORT_SECONDS = 2.5

# The worker. Two requests that time out still end before the worker's task does (600 s).
LONG = RetryPolicy(connect=10.0, total=240.0, tries=4, first_wait=1.0, longest_wait=60.0)

# After a failure, how long the next callers are told so at once before one of them tries again.
BREAKER_SECONDS = 15.0

# A service that counts requests by the minute has forgotten them after this.
LONGEST_RATE_WAIT = 60.0

# However long a service asks to be left alone, it is asked again after this.
LONGEST_REST = 3600.0

# A service in the house works one text after another, and a search queues behind a sub-batch.
SUB_BATCH_SECONDS = 0.25

MAX_ANSWER_BYTES = 32 * 1024 * 1024

sleep = time.sleep
clock = time.monotonic
