"""How many requests of agents a running covey answers within a minute, asked by several clients as
fast as they can.

    TOKEN=$(.venv/bin/python manage.py create_token robin --wiki demo --requests-per-minute 0)
    .venv/bin/python -m benchmarks.request_rate --token "$TOKEN"

Each client is a process of its own that keeps its connection. The default of
COVEY_REQUESTS_PER_MINUTE lies above what comes out here, so that only what asks faster than covey
can answer meets it.
"""

import argparse
import http.client
import multiprocessing
import time
from urllib.parse import urlsplit

QUERY = "why+does+the+nightly+backup+fail"
CALLS = {
    "what is cheapest: an insight that is not there": "/insights/0",
    "one page with its text": "/pages/start",
    "a recall of five pages, by vector, with texts": f"/recall?q={QUERY}&index=none",
    "the same by both, without texts": f"/recall?q={QUERY}&mode=hybrid&body=none&index=none",
}


def ask(
    address: str,
    path: str,
    token: str,
    seconds: float,
    counts: "multiprocessing.Queue[tuple[int, set[int]]]",
) -> None:
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    headers = {"Authorization": f"Bearer {token}"}
    ends, answered, statuses = time.monotonic() + seconds, 0, set()
    while time.monotonic() < ends:
        connection.request("GET", f"/api/v1{path}", headers=headers)
        answer = connection.getresponse()
        answer.read()
        answered += 1
        statuses.add(answer.status)
    counts.put((answered, statuses))


def measure(
    address: str, path: str, token: str, clients: int, seconds: float
) -> tuple[float, set[int]]:
    """Answers a minute by all clients together, and with which statuses."""
    counts: multiprocessing.Queue[tuple[int, set[int]]] = multiprocessing.Queue()
    asking = [
        multiprocessing.Process(target=ask, args=(address, path, token, seconds, counts))
        for _ in range(clients)
    ]
    for process in asking:
        process.start()
    found = [counts.get() for _ in asking]
    for process in asking:
        process.join()
    return sum(answered for answered, _ in found) / seconds * 60, set().union(
        *(statuses for _, statuses in found)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="http://127.0.0.1:8494")
    parser.add_argument("--token", required=True)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    for what, path in CALLS.items():
        rate, statuses = measure(options.url, path, options.token, options.clients, options.seconds)
        print(f"{what:50} {rate:8,.0f} a minute, answered with {sorted(statuses)}")


if __name__ == "__main__":
    main()
