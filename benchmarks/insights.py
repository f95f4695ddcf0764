"""How long filing an insight takes over HTTP, and whether many writers at once lose or double
anything.

    .venv/bin/python manage.py up &
    .venv/bin/python -m benchmarks.insights [--pages 1000] [--clients 8] [--insights 800]
        [--pause 0]
    .venv/bin/python -m benchmarks.insights --load [--clients 50] [--insights 2000]

The first tells how long a call takes, of each outcome. The second hands a third of the insights in
twice or more often, also in another dress, at the same time, and then looks for every text that was
acknowledged: each sentence of it must stand in the wiki, and no text twice. With --pause the
clients wait that many seconds on average between two calls, as agents do; without it they never
stop. Works in a wiki with a token of its own, in the database of the covey that is asked, and
removes both.
"""

import argparse
import os
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import local

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

import httpx  # noqa: E402
from django.conf import settings  # noqa: E402

from benchmarks.site_search import Language, fill  # noqa: E402
from wiki.agents.api_tokens import create_token  # noqa: E402
from wiki.models import Agent, ApiToken, Confirmation, Insight, Link, Page, Revision, Wiki  # noqa: E402

PATIENCE = 120
RECAP = "Recap: "


@dataclass
class Answer:
    text: str
    status: int
    outcome: str
    seconds: float


class Writers:
    """Clients that each keep a connection, as agents do."""

    def __init__(self, address: str, token: str, count: int, pause: float = 0) -> None:
        self.address, self.count, self.pause = address, count, pause
        self.headers = {"Authorization": f"Bearer {token}"}
        self.own = local()

    def hand_in(self, texts: Sequence[str]) -> tuple[list[Answer], float]:
        """What became of each, and how long all took."""
        started = time.perf_counter()
        with ThreadPoolExecutor(self.count) as pool:
            answers = list(pool.map(self._hand_in, texts))
        return answers, time.perf_counter() - started

    def _hand_in(self, text: str) -> Answer:
        if not hasattr(self.own, "client"):
            self.own.client = httpx.Client(
                base_url=self.address, headers=self.headers, timeout=PATIENCE
            )
        if self.pause:
            time.sleep(random.expovariate(1 / self.pause))
        started = time.perf_counter()
        answer = self.own.client.post("/api/v1/insights", json={"text": text})
        seconds = time.perf_counter() - started
        content = answer.json()
        return Answer(
            text, answer.status_code, content.get("outcome", content.get("detail")), seconds
        )


def make_texts(language: Language, count: int) -> list[str]:
    """A third is new, a third adds to another, a third says another once more, half of it in
    another dress."""
    chance = language.chance
    said: list[str] = []
    texts: list[str] = []
    for number in range(count):
        kind = chance.random()
        before = chance.choice(said) if said else ""
        if before and kind > 2 / 3:
            texts.append(before if chance.random() < 0.5 else f"{RECAP}{before}")
            continue
        news = f"{language.say(chance.randint(12, 60)).capitalize()} on host web-{number}."
        said.append(f"{before} Seen again in cell-{number}." if before and kind > 1 / 3 else news)
        texts.append(said[-1])
    return texts


def report_times(answers: Sequence[Answer], seconds: float) -> None:
    by_outcome: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        by_outcome["all"].append(answer.seconds * 1000)
        by_outcome[answer.outcome].append(answer.seconds * 1000)
    for outcome, taken in sorted(by_outcome.items()):
        p95 = statistics.quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]
        print(
            f"{outcome}: {len(taken)}, median {statistics.median(taken):.0f} ms, p95 {p95:.0f} ms"
        )
    print(
        f"{len(answers) / seconds:.1f} insights a second; statuses "
        f"{dict(Counter(a.status for a in answers))}"
    )


def find_faults(wiki: Wiki, answers: Sequence[Answer]) -> Iterator[str]:
    """Texts that were acknowledged and are not there, or are there twice; the ledger must know of
    each call."""
    bodies = "\n\n".join(Page.objects.live().filter(wiki=wiki).values_list("body", flat=True))
    if failed := [answer for answer in answers if answer.status >= 400]:
        yield f"{len(failed)} were refused, the first with {failed[0].status} {failed[0].outcome}"
    said = {
        answer.text
        for answer in answers
        if answer.status < 400 and not answer.text.startswith(RECAP)
    }
    lines = Counter(bodies.split("\n"))
    sentences = {
        sentence.removesuffix(".")
        for line in lines
        for sentence in line.removeprefix(RECAP).split(". ")
    }
    for text in said:
        if missing := set(text.removesuffix(".").split(". ")) - sentences:
            yield f"is missing: {missing.pop()[:80]}"
        if lines[text] > 1:
            yield f"stands there {lines[text]} times: {text[:80]}"
    for answer in answers:
        if answer.text.startswith(RECAP) and answer.outcome in ("created", "appended"):
            # A recap that came before what it repeats was news then.
            early = [
                row.pk
                for row in Insight.objects.filter(wiki=wiki, text=answer.text.removeprefix(RECAP))
            ]
            late = Insight.objects.filter(
                wiki=wiki, text=answer.text, outcome=answer.outcome
            ).values_list("pk", flat=True)
            if early and min(early) < min(late):
                yield f"taken for news: {answer.text[:80]}"
    if (rows := Insight.objects.filter(wiki=wiki).count()) != len(answers):
        yield f"the ledger has {rows} rows for {len(answers)} calls"


def remove(wiki: Wiki, agent: Agent) -> None:
    pages = Page.objects.filter(wiki=wiki)
    Insight.objects.filter(wiki=wiki).delete()
    for model in (Revision, Confirmation):
        model._default_manager.filter(page__wiki=wiki).delete()
    Link.objects.filter(from_page__wiki=wiki).delete()
    pages.delete()
    ApiToken.objects.filter(agent=agent).delete()
    agent.delete()
    wiki.delete()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", default=f"http://127.0.0.1:{settings.COVEY_PORT}")
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--clients", type=int)
    parser.add_argument("--insights", type=int)
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--seed", type=int, default=8517)
    options = parser.parse_args()
    clients, count = (50, 2000) if options.load else (8, 800)
    clients, count = options.clients or clients, options.insights or count
    language = Language()
    language.chance = random.Random(options.seed)
    name = f"benchmark-{os.getpid()}"
    wiki = Wiki.objects.create(slug=name, name="Benchmark")
    agent = Agent.objects.create(name=name, home_wiki=wiki)
    try:
        fill(wiki, language, options.pages)
        writers = Writers(options.address, create_token(agent, wiki)[1], clients, options.pause)
        answers, seconds = writers.hand_in(make_texts(language, count))
        print(f"{count} insights by {writers.count} clients into a wiki of {options.pages} pages")
        report_times(answers, seconds)
        faults = list(find_faults(wiki, answers))
        print(*(faults[:20] or ["nothing is missing, nothing stands there twice"]), sep="\n")
        if faults:
            raise SystemExit(f"{len(faults)} faults")
    finally:
        remove(wiki, agent)


if __name__ == "__main__":
    main()
