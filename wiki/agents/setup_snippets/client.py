"""Recall at the start of a task, hand in at its end. Needs httpx, and COVEY_API and COVEY_TOKEN in
the environment."""

import hashlib
import os

import httpx

covey = httpx.Client(
    base_url=os.environ["COVEY_API"],
    headers={"Authorization": f"Bearer {os.environ['COVEY_TOKEN']}"},
    transport=httpx.HTTPTransport(retries=2),
    timeout=30,
)


def recall(question: str, limit: int = 5) -> dict:
    answer = covey.post("recall", json={"query": question, "limit": limit, "index": "none"})
    return answer.raise_for_status().json()


def hand_in(text: str, *, source: str, task: str, page: str | None = None) -> dict:
    insight = {"text": text, "source": source, "task": task, "page": page}
    # The same key for the same text: a call that is repeated after a broken line files nothing
    # twice.
    key = hashlib.sha256(repr(sorted(insight.items())).encode()).hexdigest()
    answer = covey.post("insights", json=insight, headers={"Idempotency-Key": key})
    return answer.raise_for_status().json()


for hit in recall("Why does the nightly backup fail?")["pages"]:
    print(f"{hit['title']} ({hit['url']})\n{hit['body']}\n")
filed = hand_in(
    "The package mirror drops answers above 64 MiB.",
    source="ticket-17",
    task="Repair the nightly build",
)
print(filed["outcome"], filed["page"], filed["candidates"])
