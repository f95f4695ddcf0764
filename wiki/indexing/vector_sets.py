"""Vectors of models that are not active: of one that is tried, and of the one before a switch.

A switch takes them over where the text is still the same, without asking the provider.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from django.db import connection, models, transaction
from django.db.models import Count, Exists, F, Func, OuterRef, QuerySet, Subquery
from django.utils import timezone
from psycopg import sql

from embeddings.client import active_fingerprint, embed_in_bulk
from embeddings.text import Document
from wiki.db.locks import lock_wiki
from wiki.models import AskedAs, KeptVector, Page, PageVector, Wiki

# Rows that are read and sent together.
BATCH_SIZE = 50

# Pages or questions.
Rows: TypeAlias = QuerySet[Any]

# hash_page_text("", text) in the database.
_QUESTION_HASH = "encode(sha256(convert_to(chr(10) || %(expressions)s, 'UTF8')), 'hex')"


def without_vector(rows: Rows) -> Rows:
    """Return those of pages or questions for which no vector of the active model is kept."""
    return _hashed(rows).exclude(Exists(_kept_for(rows)))


def fill_set(wiki: Wiki) -> Iterator[str]:
    """Keep vectors of the active model for pages and questions that have none; yield an error, or
    "", for each.

    Raises EmbeddingError; another call goes on from there.
    """
    fingerprint = active_fingerprint()
    for rows in (
        Page.objects.stale(fingerprint).filter(wiki=wiki),
        AskedAs.objects.stale(fingerprint).filter(page__wiki=wiki),
    ):
        wanted = without_vector(rows).order_by("-pk").defer("embedding")
        ids = list(wanted.values_list("pk", flat=True))
        for start in range(0, len(ids), BATCH_SIZE):
            yield from _embed(list(_hashed(rows).filter(pk__in=ids[start : start + BATCH_SIZE])))


def _embed(rows: list[Any]) -> Iterator[str]:
    documents = [
        Document(row.title, row.body) if isinstance(row, Page) else Document("", row.text)
        for row in rows
    ]
    for result in embed_in_bulk(documents):
        row = rows[result.position]
        if result.vector is not None:
            kept = KeptVector(
                page_id=row.pk if isinstance(row, Page) else row.page_id,
                fingerprint=active_fingerprint(),
                text_hash=row.text_hash,
                embedding=result.vector,
            )
            KeptVector.objects.bulk_create([kept], ignore_conflicts=True)
        yield result.error


def keep_vectors() -> None:
    """Keep the vectors that the run is going to replace, for a way back."""
    fingerprint = active_fingerprint()
    for rows in (Page.objects.stale(fingerprint), AskedAs.objects.stale(fingerprint)):
        old = _hashed(rows).exclude(embedding=None).order_by("pk")
        columns = (_page_of(rows), "embed_model", "text_hash", "embedding")
        batch: list[KeptVector] = []
        for page_id, model, text_hash, vector in old.values_list(*columns).iterator(1000):
            batch.append(KeptVector(None, page_id, model, text_hash, vector))
            if len(batch) == 1000:
                KeptVector.objects.bulk_create(batch, ignore_conflicts=True)
                batch.clear()
        KeptVector.objects.bulk_create(batch, ignore_conflicts=True)


def adopt_vectors() -> int:
    """Give stale pages and questions the vectors kept for the active model, and drop these.

    Returns the number of pages. Each wiki is locked, to prevent a deadlock with a transaction over
    two of its pages.
    """
    fingerprint, adopted = active_fingerprint(), 0
    if not KeptVector.objects.filter(fingerprint=fingerprint).exists():
        return 0
    for wiki in Wiki.objects.order_by("pk"):
        with transaction.atomic():
            lock_wiki(wiki.pk)
            pages = Page.objects.stale(fingerprint).filter(wiki=wiki)
            adopted += _adopt(pages, fingerprint, embedded_at=timezone.now())
            _adopt(AskedAs.objects.stale(fingerprint).filter(page__wiki=wiki), fingerprint)
    drop_vectors(fingerprint)
    return adopted


def _adopt(rows: Rows, fingerprint: str, **fields: object) -> int:
    kept = _kept_for(rows)
    return (
        _hashed(rows)
        .filter(Exists(kept))
        .update(
            embedding=Subquery(kept.values("embedding")[:1]),
            embed_model=fingerprint,
            embed_error="",
            failed_model="",
            **fields,
        )
    )


def count_kept() -> dict[str, int]:
    """Count the kept vectors by fingerprint."""
    counted = KeptVector.objects.order_by("fingerprint").values_list("fingerprint")
    return dict(counted.annotate(Count("pk")))


def drop_vectors(fingerprint: str) -> None:
    KeptVector.objects.filter(fingerprint=fingerprint).delete()


@contextmanager
def reading_set() -> Iterator[None]:
    """Let this connection read the kept vectors of the active model in place of the live ones.

    Temporary views hide the tables of pages and questions, so that every search sees the set and
    nobody else does. Nothing may be written to these tables meanwhile.
    """
    views = {
        PageVector: "SELECT k.page_id, t.wiki_id, k.fingerprint AS embed_model, k.embedding "
        "FROM wiki_page t JOIN wiki_keptvector k ON {} WHERE t.trashed_at IS NULL",
        Page: _view(Page, "wiki_page"),
        AskedAs: _view(AskedAs, "wiki_askedas"),
    }
    is_kept = {
        PageVector: "k.page_id = t.id AND k.text_hash = t.text_hash",
        Page: "k.page_id = t.id AND k.text_hash = t.text_hash",
        AskedAs: "k.page_id = t.page_id AND k.text_hash = "
        + _QUESTION_HASH % {"expressions": "t.text"},
    }
    with connection.cursor() as cursor:
        for model, view in views.items():
            condition = sql.SQL(is_kept[model] + " AND k.fingerprint = {}").format(
                sql.Literal(active_fingerprint())
            )
            name = sql.Identifier(model._meta.db_table)
            create = sql.SQL("CREATE TEMPORARY VIEW {} AS ").format(name)
            cursor.execute(create + sql.SQL(view).format(condition))
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            for model in views:
                cursor.execute(f"DROP VIEW pg_temp.{model._meta.db_table}")


def _view(model: type[models.Model], table: str) -> str:
    other = {
        "embed_model": "coalesce(k.fingerprint, '') AS embed_model",
        "embedding": "k.embedding AS embedding",
    }
    columns = [str(field.column) for field in model._meta.concrete_fields]
    shown = ", ".join(other.get(column, f't."{column}"') for column in columns)
    return f"SELECT {shown} FROM {table} t LEFT JOIN wiki_keptvector k ON {{}}"


def _page_of(rows: Rows) -> str:
    return "pk" if rows.model is Page else "page_id"


def _hashed(rows: Rows) -> Rows:
    """A question gets its `text_hash`; a page has one."""
    if rows.model is Page:
        return rows
    text_hash = Func(F("text"), template=_QUESTION_HASH, output_field=models.CharField())
    return rows.annotate(text_hash=text_hash)


def _kept_for(rows: Rows) -> QuerySet[KeptVector]:
    of_page = KeptVector.objects.filter(page=OuterRef(_page_of(rows)))
    return of_page.filter(fingerprint=active_fingerprint(), text_hash=OuterRef("text_hash"))
