"""How many functions of covey a call of the API runs through, in how many modules, and how many
statements it sends to the database.

    .venv/bin/python -m benchmarks.calls [--functions 20]

Each call is made in process, through every middleware, in a wiki of eight pages; the second one is
counted. Works in a wiki of its own and removes it at the end.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from wiki.agents.api_tokens import create_token  # noqa: E402
from wiki.models import (  # noqa: E402
    Agent,
    ApiToken,
    Confirmation,
    Insight,
    Link,
    Page,
    Revision,
    RevisionKind,
    Wiki,
)
from wiki.pages.author import Author  # noqa: E402
from wiki.pages.change import Change  # noqa: E402
from wiki.pages.fields import PageFields  # noqa: E402
from wiki.pages.write import create_page  # noqa: E402

ROOT = Path(__file__).parents[1]
PACKAGES = tuple(f"{ROOT / name}{os.sep}" for name in ("wiki", "embeddings", "covey"))
SERVICES = "runner", "backup", "mail server", "build cache", "DNS", "proxy", "registry", "clock"
PAGE = """The {name} stops when its disk is full. It says so in its log, never by mail.

## What to do

1. Look at the [disks](https://disks.example.org) and at [[The {other}|its neighbour]].
2. Delete what is older than {days} days, then start the **{name}** again.
3. If it stops once more within an hour, the backup of the night before is in the way.

```
systemctl restart {name}
```

## Why

The volume is shared with [[The {other}]]. Both write their backup to it at night, and the one that
comes second finds no room. A larger volume was ordered in March; until it is there, one of the two
has to wait. Nobody has written down which of them may go first, so ask before you change anything.
"""
INSIGHTS = (
    "Printers on the second floor want their drivers from the vendor. The ones of the system print "
    "every page twice.",
    "The certificate of the gateway is renewed by hand every March. Nobody is told when it ends, "
    "so put a date into the calendar.",
)

Call = Callable[[], Any]


class Counted:
    def __init__(self) -> None:
        self.functions: Counter[CodeType] = Counter()
        self.statements: list[str] = []

    @property
    def calls(self) -> int:
        return self.functions.total()

    @property
    def modules(self) -> int:
        return len({code.co_filename for code in self.functions})


@contextmanager
def counting() -> Iterator[Counted]:
    """A resumed generator counts as a call, as a profile hook sees it."""
    counted = Counted()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGES):
            counted.functions[frame.f_code] += 1

    with CaptureQueriesContext(connection) as queries:
        sys.setprofile(note)
        try:
            yield counted
        finally:
            sys.setprofile(None)
    counted.statements = [query["sql"] for query in queries]


def count(call: Call) -> Counted:
    """Of the second call."""
    with counting() as first:
        assert call().status_code < 300
    del first
    with counting() as counted:
        answer = call()
    assert answer.status_code < 300, answer.content
    return counted


def make_pages(wiki: Wiki, author: Author) -> None:
    for number, name in enumerate(SERVICES):
        text = PAGE.format(name=name, other=SERVICES[number - 1], days=number + 2)
        fields = PageFields(f"The {name}", text, "", ["operation"])
        create_page(wiki, fields, Change(author, RevisionKind.CREATE))


def calls_of(secret: str) -> dict[str, Call]:
    headers = {"Authorization": f"Bearer {secret}", "Host": "127.0.0.1"}
    client = Client(headers=headers)
    asked = {"q": "why does the backup stop"}
    texts = iter(INSIGHTS)
    return {
        "recall, JSON": lambda: client.get("/api/v1/recall", asked),
        "recall, Markdown": lambda: client.get(
            "/api/v1/recall", asked, headers={"Accept": "text/markdown"}
        ),
        "insight": lambda: client.post(
            "/api/v1/insights",
            {"text": next(texts), "source": "ticket 4711", "tags": ["gateway"]},
            content_type="application/json",
        ),
    }


def describe(name: str, counted: Counted, functions: int) -> Iterator[str]:
    yield (
        f"{name:16} {counted.calls:5} own calls in {counted.modules} modules, "
        f"{len(counted.statements)} statements"
    )
    for code, times in counted.functions.most_common(functions):
        place = Path(code.co_filename).relative_to(ROOT)
        yield f"    {times:5} {place}:{code.co_firstlineno} {code.co_qualname}"
    if functions:
        yield from (f"    {' '.join(statement.split())[:100]}" for statement in counted.statements)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--functions", type=int, default=0, help="list the most called")
    functions = parser.parse_args().functions
    name = f"benchmark-{os.getpid()}"
    wiki = Wiki.objects.create(slug=name, name="Benchmark")
    agent = Agent.objects.create(name=name, home_wiki=wiki)
    try:
        make_pages(wiki, Author.of_agent(agent))
        for words, call in calls_of(create_token(agent, wiki)[1]).items():
            print(*describe(words, count(call), functions), sep="\n")
    finally:
        ApiToken.objects.filter(agent=agent).delete()
        Insight.objects.filter(wiki=wiki).delete()
        pages = Page.objects.filter(wiki=wiki)
        Confirmation.objects.filter(page__in=pages).delete()
        Link.objects.filter(from_page__in=pages).delete()
        Revision.objects.filter(page__in=pages).delete()
        pages.delete()
        agent.delete()
        wiki.delete()


if __name__ == "__main__":
    main()
