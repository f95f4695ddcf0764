"""Receipts of recalls: the agent, its question and task, and the pages that were handed out."""

import json
import logging
import uuid
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.utils import timezone
from django.utils.crypto import salted_hmac

from wiki.models import MAX_ORIGIN, HandedPage, Receipt, Wiki
from wiki.redaction import mask_secrets
from wiki.search.retrieval import Recall, RecallRequest
from wiki.text.cleaning import clean_line, clean_text

logger = logging.getLogger(__name__)

# Receipts a run; the next run goes on.
PRUNED_AT_ONCE = 5_000


def hash_query(query: str) -> str:
    """A keyed hash, since short texts could be guessed."""
    return salted_hmac("wiki.receipts", " ".join(query.split()), algorithm="sha256").hexdigest()


# In one statement, since it is part of every recall. To wait until a disk has it would take several
# times as long as all the rest; after a power cut the last receipts of the second before may be
# missing.
_KEEP = """
    WITH at_once AS (
        SELECT set_config('synchronous_commit', 'off', true)
    ), receipt AS (
        INSERT INTO wiki_receipt
            (id, wiki_id, agent_id, query, query_hash, task, mode, fingerprint, degraded,
             created_at)
        SELECT %(id)s::uuid, %(wiki)s, %(agent)s, %(query)s, %(hash)s, %(task)s, %(mode)s,
            %(model)s, %(degraded)s,
            clock_timestamp()
        FROM at_once
        RETURNING id
    )
    INSERT INTO wiki_handedpage
        (receipt_id, page_id, place, similarity, found_by, marked_by_kind, marked_by_name)
    SELECT receipt.id, hit.page, hit.place, hit.similarity, hit.found_by, '', ''
    FROM receipt, jsonb_to_recordset(%(hits)s)
        AS hit(page bigint, place int, similarity float8, found_by text[])
"""


def keep(request: RecallRequest, found: Recall) -> None:
    """Keep a receipt under the id of the recall, unless COVEY_RECALL_DAYS is 0. A failure is only
    logged: the agent gets its pages nevertheless."""
    if not settings.COVEY_RECALL_DAYS:
        return
    query = mask_secrets(clean_text(request.text).strip()).text
    hits = [
        {
            "page": hit.page.pk,
            "place": place,
            "similarity": hit.similarity,
            "found_by": hit.found_by,
        }
        for place, hit in enumerate(found.hits, start=1)
    ]
    row: dict[str, Any] = {
        "id": found.id,
        "wiki": request.wiki.pk,
        "agent": request.agent.pk if request.agent else None,
        "query": query if settings.COVEY_RECALL_TEXT == "text" else "",
        "hash": hash_query(query),
        "task": mask_secrets(clean_line(request.task)).text[:MAX_ORIGIN] if request.task else "",
        "mode": found.mode.value,
        "model": found.model,
        "degraded": found.degraded,
        "hits": json.dumps(hits),
    }
    # One statement is a transaction by itself; only within another it needs a point to go back to.
    alone = nullcontext() if not connection.in_atomic_block else transaction.atomic()
    try:
        with alone, connection.cursor() as cursor:
            cursor.execute(_KEEP, row)
    except DatabaseError as error:
        logger.warning(
            "The recall %s was answered, but not kept: %s", found.id, type(error).__name__
        )


def find_receipt(wiki: Wiki, id: str) -> Receipt | None:
    try:
        key = uuid.UUID(id)
    except ValueError:
        return None
    return Receipt.objects.filter(wiki=wiki, pk=key).select_related("agent").first()


@dataclass(frozen=True)
class Recalled:
    """The count of a page's recalls and the last of them; `agent` and `task` may be empty."""

    count: int
    last_at: datetime
    agent: str
    task: str


def counted_recalls(page: str) -> Subquery:
    """The count of recalls of the page in this column; NULL for none."""
    counts = HandedPage.objects.handed_out().filter(page=OuterRef(page)).order_by().values("page")
    return Subquery(counts.annotate(n=Count("pk")).values("n"))


def last_recall(page: str) -> Subquery:
    """The last recall of the page in this column, for read_recalled."""
    row = JSONObject(at="receipt__created_at", task="receipt__task", agent="receipt__agent__name")
    return Subquery(
        HandedPage.objects.handed_out()
        .filter(page=OuterRef(page))
        .order_by("-id")
        .values(row=row)[:1]
    )


def read_recalled(count: int | None, last: dict[str, str | None] | None) -> Recalled | None:
    if not count or not last:
        return None
    return Recalled(
        count, datetime.fromisoformat(last["at"] or ""), last["agent"] or "", last["task"] or ""
    )


def prune_receipts() -> bool:
    """Delete old receipts, and texts where only hashes are kept; returns whether any are left."""
    oldest = timezone.now() - timedelta(days=settings.COVEY_RECALL_DAYS)
    old = list(
        Receipt.objects.filter(created_at__lte=oldest)
        .order_by("created_at")
        .values("pk")[:PRUNED_AT_ONCE]
    )
    Receipt.objects.filter(pk__in=[row["pk"] for row in old]).delete()
    return len(old) == PRUNED_AT_ONCE or _take_texts_away()


def _take_texts_away() -> bool:
    if settings.COVEY_RECALL_TEXT == "text":
        return False
    told = Receipt.objects.exclude(query="").values("pk")[:PRUNED_AT_ONCE]
    return Receipt.objects.filter(pk__in=told).update(query="") == PRUNED_AT_ONCE
