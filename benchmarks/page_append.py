"""Whether appending to a page gets slower as it grows: 500 additions, the first fifty beside the
last fifty.

    .venv/bin/python -m benchmarks.page_append [--appends 500]

Works in a wiki of its own and removes it at the end.
"""

import argparse
import os
import statistics
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
django.setup()

from wiki.models import Page, RevisionKind, Wiki  # noqa: E402
from wiki.pages.author import Author  # noqa: E402
from wiki.pages.change import Change  # noqa: E402
from wiki.pages.fields import PageFields  # noqa: E402
from wiki.pages.write import append_text, create_page  # noqa: E402

EACH = 50


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--appends", type=int, default=500)
    appends = parser.parse_args().appends
    wiki = Wiki.objects.create(slug="benchmark-appending", name="Appending")
    try:
        change = Change(Author.maintenance(), RevisionKind.CREATE)
        page = create_page(wiki, PageFields("Protocol", "What happened.", "", []), change)
        times = []
        for number in range(appends):
            text = (
                f"Entry {number}: the mirror was started again and answered after {number % 17} "
                f"seconds."
            )
            started = time.perf_counter()
            page = append_text(page, text, Change(Author.maintenance(), RevisionKind.APPEND))
            times.append(1000 * (time.perf_counter() - started))
        for name, part in (("first", times[:EACH]), ("last", times[-EACH:])):
            p95 = statistics.quantiles(part, n=20)[-1]
            print(
                f"the {name} {EACH} of {appends}: median {statistics.median(part):.1f} ms, p95 "
                f"{p95:.1f} ms"
            )
        print(f"{len(page.body):,} characters in the end")
    finally:
        Page.objects.filter(wiki=wiki).delete()
        wiki.delete()


if __name__ == "__main__":
    main()
