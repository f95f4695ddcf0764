"""Time limits of requests to a service, in seconds. Tests make them small."""

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """`connect` and `total` bound one request, `tries` how often it is sent unchanged.

    Waits between tries double from `first_wait`; a longer one than `longest_wait` is an error.
    """

    connect: float
    total: float
    tries: int
    first_wait: float
    longest_wait: float


# In a request of a person or agent. `total` is long, because Ollama stops loading its model when a
# request is closed; the caller waits SHORT_SECONDS and the call goes on in the background.
SHORT = RetryPolicy(connect=1.0, total=120.0, tries=2, first_wait=0.2, longest_wait=0.5)
SHORT_SECONDS = 2.5

# In the worker: two timed-out requests fit into the 600 s of a task.
LONG = RetryPolicy(connect=10.0, total=240.0, tries=4, first_wait=1.0, longest_wait=60.0)

# From a failure until one caller tries again.
BREAKER_SECONDS = 15.0

# The usual window of a rate limit.
LONGEST_RATE_WAIT = 60.0

# The upper bound of a service's Retry-After.
LONGEST_REST = 3600.0

# A search queues behind a sub-batch in a service of the own network.
SUB_BATCH_SECONDS = 0.25

MAX_ANSWER_BYTES = 32 * 1024 * 1024

sleep = time.sleep
clock = time.monotonic
