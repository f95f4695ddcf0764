"""Lint rules that need one page and the links to it."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import Count, F, Func, IntegerField, Q, QuerySet, Value
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan, LessThan
from django.utils import timezone

from embeddings.client import active_fingerprint
from embeddings.text import MAX_CHARACTERS
from wiki.lint.date_titles import DIARY_TITLE
from wiki.lint.rules import STUB_CHARACTERS, Finding
from wiki.models import (
    Confirmation,
    EmbeddingState,
    Link,
    Page,
    PageQuerySet,
    Standing,
    Wiki,
    in_state,
)
from wiki.pages.page_templates import template_keys

UNTOUCHED = timedelta(days=365)
# A character has at most four bytes, so a larger body is no stub and need not be read.
_FEW_BYTES = LessThan(
    Func("body", function="octet_length", output_field=IntegerField()), 4 * STUB_CHARACTERS
)
_FEW_CHARACTERS = LessThan(Length(Func("body", Value(" \n\t"), function="btrim")), STUB_CHARACTERS)
# The rest is not part of a page's vector.
_MANY_BYTES = GreaterThan(
    Func("body", function="octet_length", output_field=IntegerField()), MAX_CHARACTERS
)
_MANY_CHARACTERS = GreaterThan(Length("body"), MAX_CHARACTERS)


def count_findings(wiki: Wiki) -> dict[Finding, int]:
    """Count the live pages of each finding, in one query."""
    conditions = _conditions(wiki, timezone.now())
    counted = {
        finding.name: Count("pk", filter=condition) for finding, condition in conditions.items()
    }
    counts = Page.objects.live().filter(wiki=wiki).aggregate(**counted)
    return {finding: counts[finding.name] for finding in conditions}


def pages_with(wiki: Wiki, finding: Finding) -> PageQuerySet:
    """Return the live pages of a finding. Raises KeyError for one that is not of single pages."""
    return Page.objects.live().filter(wiki=wiki).filter(_conditions(wiki, timezone.now())[finding])


def _conditions(wiki: Wiki, now: datetime) -> Mapping[Finding, Q]:
    fingerprint = active_fingerprint()
    holds = Q(standing=Standing.HOLDS)
    # Templates are short, untyped, unlinked and old by nature.
    is_text = ~Q(title_key__in=template_keys())
    confirmed = Confirmation.objects.filter(page__wiki=wiki, confirmed_at__gte=now - UNTOUCHED)
    # The successor of a page may link to it.
    by_others = _links(wiki).exclude(from_page=F("resolved_page__replaced_by"))
    return {
        Finding.ORPHANS: is_text & holds & ~Q(pk__in=_links(wiki).values("resolved_page")),
        Finding.OUTDATED: ~holds & Q(pk__in=by_others.values("resolved_page")),
        Finding.FAILED: in_state(EmbeddingState.FAILED, fingerprint),
        Finding.STALE: in_state(EmbeddingState.STALE, fingerprint),
        Finding.DIARY: Q(title__iregex=DIARY_TITLE),
        Finding.STUBS: is_text & Q(_FEW_BYTES) & Q(_FEW_CHARACTERS),
        Finding.LONG: Q(_MANY_BYTES) & Q(_MANY_CHARACTERS),
        Finding.UNTYPED: is_text & Q(type=""),
        Finding.UNCONFIRMED: is_text
        & holds
        & Q(updated_at__lt=now - UNTOUCHED)
        & ~Q(pk__in=confirmed.values("page")),
    }


def _links(wiki: Wiki) -> QuerySet[Link]:
    """Return the links of live pages to another page."""
    links = Link.objects.live().order_by().filter(from_page__wiki=wiki)
    return links.filter(resolved_page__isnull=False).exclude(resolved_page=F("from_page"))
