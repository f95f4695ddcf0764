"""What a recall asks the database: a bound that does not grow with the wiki, and no look at
pages that are well."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from embeddings.client import active_fingerprint
from wiki.models import Page
from wiki.pages.status import mark_replaced

# Of a recall with the health of the connection left out: token, stale pages, nearest pages, their
# links and successors, waiting insights, the size of the wiki, the index; and that it is counted.
READING = 10
# The receipt: two statements in a transaction of their own that does not wait for the disk.
MOST = READING + 7


def count_queries(api, path):
    with CaptureQueriesContext(connection) as queries:
        assert api.get(path).status_code == 200
    return len(queries)


@pytest.mark.parametrize("mode", ["vector", "keyword", "hybrid"])
@pytest.mark.parametrize("index", ["none", "recent", "all"])
def test_a_recall_asks_no_more_often_however_many_pages_it_gives(api, write, author, mode, index):
    first = write("Pipeline 0", "Die Pipeline ist rot.")
    path = f"/recall?q=pipeline&limit=50&mode={mode}&index={index}"
    count_queries(api, path)
    for number in range(1, 40):
        page = write(
            f"Pipeline {number}",
            f"Die Pipeline ist rot, siehe [[Pipeline {number - 1}]] und [[Nirgends]].",
        )
        if number % 4 == 0:
            mark_replaced(page, first, author=author)
    assert count_queries(api, path) <= MOST


def test_stale_pages_are_counted_by_an_index_that_leads_to_them_alone(write, wiki):
    page = write("Seite", "Ein Text")
    twins = [replace_name(Page.objects.get(pk=page.pk), f"seite-{number}") for number in range(500)]
    Page.objects.bulk_create(twins)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE wiki_page")
        # So few pages would be read one after another.
        cursor.execute("SET LOCAL enable_seqscan = off")
    stale = Page.objects.filter(wiki=wiki).stale(active_fingerprint())
    plan = stale.order_by().explain()
    conditions = [line for line in plan.splitlines() if "Index Cond" in line]
    assert conditions, plan
    assert all("embed_model" in condition for condition in conditions), plan
    assert stale.count() == 0
    Page.objects.filter(slug="seite-7").update(embed_model="aaa:old:256")
    Page.objects.filter(slug="seite-8").update(embed_model="zzz:new:256")
    Page.objects.filter(slug="seite-9").update(embed_model="", embedding=None)
    assert stale.count() == 3


def replace_name(page, slug):
    page.pk, page.slug = None, slug
    return page
