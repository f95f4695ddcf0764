"""Until here a status stood only in the summary of the revision that set it, in the language of its
author: "als veraltet markiert", "replaced by {title}"; after an undo with a reason in brackets."""

from collections import defaultdict
from itertools import groupby
from operator import itemgetter

from django.db import migrations
from django.db.models import Min, Q

STATUSES = {
    "marked as holding again": "",
    "als wieder gültig markiert": "",
    "marked as outdated": "outdated",
    "als veraltet markiert": "outdated",
    "marked as replaced": "replaced",
    "als ersetzt markiert": "replaced",
}
SUCCESSIONS = ("replaced by ", "ersetzt durch ")


def read_summary(summary, is_undo):
    """The status and the titles its successor may have had, the likeliest first; or None."""
    for sentence, status in STATUSES.items():
        if summary == sentence or (is_undo and summary.startswith(f"{sentence} (")):
            return status, []
    for begin in SUCCESSIONS:
        if summary.startswith(begin):
            # A title may have a bracket in it too.
            parts = summary.removeprefix(begin).split(" (") if is_undo else []
            titles = [" (".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
            return "replaced", titles if is_undo else [summary.removeprefix(begin)]
    return None


def fill(apps, schema_editor):
    Page, Revision = apps.get_model("wiki", "Page"), apps.get_model("wiki", "Revision")
    marks = find_marks(Revision)
    pages = {
        pk: (wiki, standing, successor)
        for pk, wiki, standing, successor in Page.objects.filter(
            Q(pk__in=marks) | ~Q(standing="")
        ).values_list("pk", "wiki", "standing", "replaced_by")
    }
    named = find_named(Revision, marks)
    for page_id, (wiki_id, standing, successor_id) in pages.items():
        statuses = []
        for number, at, read in marks.get(page_id, ()):
            # A summary that says no status leaves the one before.
            before = statuses[-1][1] if statuses else ("", None)
            status = (read[0], find_page(named[wiki_id], page_id, at, read[1])) if read else before
            statuses.append((number, status))
        # The latest status is the page's own, whatever a summary says.
        last = statuses.pop()[0] if statuses else 1
        statuses.append((last, (standing, successor_id)))
        ends = [number for number, _status in statuses[1:]] + [None]
        for (number, (standing, successor_id)), end in zip(statuses, ends, strict=True):
            if standing:
                span = {"number__gte": number, **({"number__lt": end} if end else {})}
                Revision.objects.filter(page=page_id, **span).update(
                    standing=standing, replaced_by=successor_id
                )


def find_marks(Revision):
    """By page number, date and status of the revisions that set one."""
    rows = Revision.objects.filter(kind__in=("mark", "undo")).order_by("page", "number")
    columns = rows.values_list("page", "number", "created_at", "kind", "summary")
    marks = {}
    for page_id, own in groupby(columns.iterator(), itemgetter(0)):
        read = [
            (number, at, read_summary(summary, kind == "undo"), kind)
            for _page, number, at, kind, summary in own
        ]
        if found := [mark[:3] for mark in read if mark[2] or mark[3] == "mark"]:
            marks[page_id] = found
    return marks


def find_named(Revision, marks):
    """By wiki and title the pages that have had it, each with the date since when."""
    titles = {title for own in marks.values() for *_, read in own if read for title in read[1]}
    rows = Revision.objects.filter(title__in=titles).order_by()
    named = defaultdict(lambda: defaultdict(list))
    for wiki_id, title, page_id, since in rows.values_list("page__wiki", "title", "page").annotate(
        Min("created_at")
    ):
        named[wiki_id][title].append((since, page_id))
    return named


def find_page(named, own, at, titles):
    for title in titles:
        had = [(since, pk) for since, pk in named[title] if since <= at and pk != own]
        if had:
            # Of two pages that have had a title the later one is meant.
            return max(had)[1]
    return None


class Migration(migrations.Migration):
    dependencies = [("wiki", "0016_keep_status_in_revisions")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
