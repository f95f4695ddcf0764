"""A page."""

from collections.abc import Callable, Iterable
from functools import reduce
from operator import and_, or_
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import (
    Case,
    CharField,
    Count,
    Expression,
    F,
    FloatField,
    Func,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Left, Upper
from django.db.models.lookups import GreaterThan
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from embeddings.hash_embedder import split_words
from embeddings.vectors import DIMENSIONS, MAX_FINGERPRINT
from wiki.models.choices import EmbeddingState, PageType, Standing
from wiki.models.wikis import Wiki
from wiki.text.cleaning import MAX_TITLE
from wiki.text.slugs import MAX_SLUG, fold_slug, slugify, title_key

MAX_TAG = 100
QUERIED_WORDS = 100


# The database sorts by code point; accents are taken off so that it sorts as people do.
_ACCENTS = Value("äáàâãåæçéèêëíìîïñöóòôõøúùûüýÿžšč"), Value("aaaaaaaceeeeiiiinoooooouuuuyyzsc")


def strip_accents(text: F | Func) -> Func:
    return Func(text, *_ACCENTS, function="translate", output_field=CharField())


_SORT_KEY = strip_accents(F("title_key"))
_LETTER = Upper(Left(_SORT_KEY, 1))

# Shorter ones stand in the middle of too many words.
MIN_INNER_WORD = 4


_LIVE = Q(trashed_at=None)
_WORDED = _LIVE & Q(has_words=True)


def in_state(state: EmbeddingState, fingerprint: str | Expression) -> Q:
    """The condition for pages of which `Page.embedding_state` says this."""
    # "Another one" said so that an index finds the few: no index helps with "not this one".
    is_another = Q(embed_model__lt=fingerprint) | Q(embed_model__gt=fingerprint)
    has_failed = Q(failed_model=fingerprint)
    return {
        EmbeddingState.CURRENT: _WORDED & Q(embed_model=fingerprint),
        EmbeddingState.STALE: _WORDED & is_another & ~has_failed,
        EmbeddingState.FAILED: _WORDED & has_failed,
        EmbeddingState.WORDLESS: _LIVE & Q(has_words=False),
        EmbeddingState.TRASHED: ~_LIVE,
    }[state]


class PageQuerySet(QuerySet["Page"]):
    def live(self) -> "PageQuerySet":
        return self.filter(_LIVE)

    def trashed(self) -> "PageQuerySet":
        """Pages in the trash; a merged page is none, and comes back by undoing the merge."""
        return self.filter(~_LIVE, merged_into=None)

    def comparable(self, fingerprint: str | Expression) -> "PageQuerySet":
        """Live pages with a vector of the active model: only those can be compared."""
        return self.live().filter(embed_model=fingerprint)

    def embeddable(self, fingerprint: str) -> "PageQuerySet":
        """Live pages with a word in them that have not failed with this fingerprint."""
        return self.filter(_WORDED).exclude(failed_model=fingerprint)

    def stale(self, fingerprint: str | Expression) -> "PageQuerySet":
        """Embeddable pages that are not of this fingerprint and will be embedded."""
        return self.filter(in_state(EmbeddingState.STALE, fingerprint))

    def titled(self, text: str) -> "PageQuerySet":
        """Pages of this name first, then titles that begin with the text, then titles with all its
        words: as the beginnings of words, last the longer ones inside of words, as "schlange" in
        "Warteschlange"."""
        words = [fold_slug(word) for word in split_words(text)[:QUERIED_WORDS]]
        is_exact = Q(title_key=title_key(text))
        is_named = is_exact | Q(slug=slugify(text))
        # Without a word the conditions below would fit every page.
        if not words:
            return self.filter(is_named).order_by(Case(When(is_exact, then=0), default=1), "id")
        begins = fits_all(words, lambda form: Q(names__contains=f"-{form}"))
        is_inside = fits_all(
            words,
            lambda form: Q(names__contains=form if len(form) >= MIN_INNER_WORD else f"-{form}"),
        )
        starts = Q(title_key__startswith=title_key(text))
        ranks = (is_exact, is_named, starts, begins)
        rank = Case(
            *(When(condition, then=number) for number, condition in enumerate(ranks)),
            default=len(ranks),
        )
        return self.filter(is_named | is_inside).order_by(rank, _SORT_KEY, "id")

    def failed(self, fingerprint: str) -> "PageQuerySet":
        """Pages that got no vector of this fingerprint; another one may embed them."""
        return self.filter(in_state(EmbeddingState.FAILED, fingerprint))

    def linking_to(self, page: "Page") -> "PageQuerySet":
        """Pages that link to this one; a link to itself does not count."""
        return self.filter(pk__in=page.incoming_links.values("from_page")).exclude(pk=page.pk)

    def by_title(self, *first: Any) -> "PageQuerySet":
        """In the order of a dictionary, "Übung" beside "Uhr", after the keys of `first`; annotates
        the initial `letter`."""
        return self.annotate(letter=_LETTER).order_by(*first, _SORT_KEY, "id")

    def count_by_letter(self) -> dict[str, int]:
        return dict(
            self.annotate(letter=_LETTER)
            .order_by("letter")
            .values_list("letter")
            .annotate(Count("pk"))
        )

    def count_by_type(self) -> dict[str, int]:
        return dict(self.order_by().values_list("type").annotate(Count("pk")))

    def count_by_tag(self, limit: int) -> dict[str, int]:
        """The most used tags and how many pages have each."""
        tag = Func(F("tags"), function="unnest", output_field=CharField(), set_returning=True)
        counted = (
            self.order_by()
            .annotate(tag=tag)
            .values("tag")
            .annotate(n=Count("pk"))
            .order_by("-n", "tag")
        )
        return dict(counted.values_list("tag", "n")[:limit])


def fits_all(words: Iterable[Iterable[str]], condition: Callable[[str], Q]) -> Q:
    """That of every word at least one form meets the condition."""
    return reduce(and_, (reduce(or_, map(condition, forms)) for forms in words))


class Page(models.Model):
    wiki = models.ForeignKey(
        Wiki, on_delete=models.PROTECT, related_name="pages", verbose_name=_("wiki")
    )
    slug = models.CharField(_("address"), max_length=MAX_SLUG)
    title = models.CharField(_("title"), max_length=MAX_TITLE)
    body = models.TextField(_("text"), blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PageType.choices, blank=True)
    tags = ArrayField(
        models.CharField(max_length=MAX_TAG), default=list, blank=True, verbose_name=_("tags")
    )
    # Further names of the page, as they were written.
    aliases = ArrayField(
        models.CharField(max_length=MAX_TITLE), default=list, blank=True, verbose_name=_("aliases")
    )
    # Unknown keys of an imported file's front matter, kept as they were written.
    front_matter = models.TextField(blank=True)

    # How links and requests find the page besides its slug (wiki/pages/links.py).
    title_key = models.CharField(max_length=MAX_TITLE * 3, editable=False)
    folds = ArrayField(models.CharField(max_length=MAX_SLUG * 3), default=list, editable=False)
    # All of them in one text with a hyphen before each word: what somebody types is looked for in
    # it.
    names = models.GeneratedField(
        expression=Func(F("folds"), F("title_key"), function="covey_page_names"),
        output_field=models.TextField(),
        db_persist=True,
    )
    revision = models.PositiveIntegerField(_("revision"), default=0, editable=False)
    text_hash = models.CharField(max_length=64, editable=False)
    # By which rules its links were found; another number has them found again.
    links_recipe = models.PositiveSmallIntegerField(default=0, editable=False)
    has_words = models.BooleanField(default=True, editable=False)

    # Changed by indexing.py alone. Empty model and null vector belong together.
    embed_model = models.CharField(
        _("embedded by"), max_length=MAX_FINGERPRINT, blank=True, editable=False
    )
    embedding = VectorField(dimensions=DIMENSIONS, null=True, editable=False)
    embed_error = models.TextField(_("embedding error"), blank=True, editable=False)
    # The fingerprint that the error happened with; under any other the page is stale.
    failed_model = models.CharField(
        _("failed with"), max_length=MAX_FINGERPRINT, blank=True, editable=False
    )
    embedded_at = models.DateTimeField(_("embedded"), null=True, editable=False)

    # Said by a person or an agent, shown on top; what does not hold is ranked behind
    # (wiki/pages/status.py).
    standing = models.CharField(
        _("standing"), max_length=10, choices=Standing.choices, blank=True, editable=False
    )
    replaced_by = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="replaces",
        editable=False,
    )

    # Agents may only suggest changes (wiki/pages/protection_guard.py).
    is_protected = models.BooleanField(_("protected"), default=False, editable=False)

    # Set exactly while a merge holds: the page is off every list, and its addresses lead to that
    # one (wiki/merging/merge.py).
    merged_into = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="merged_pages",
        editable=False,
    )

    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("last change"), default=timezone.now, editable=False)
    trashed_at = models.DateTimeField(
        _("in the trash since"), null=True, blank=True, editable=False
    )

    objects = PageQuerySet.as_manager()

    class Meta:
        verbose_name = _("page")
        verbose_name_plural = _("pages")
        ordering = ["title", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["wiki", "slug"], condition=Q(trashed_at=None), name="page_slug_unique"
            ),
            models.CheckConstraint(condition=~Q(slug=""), name="page_slug_not_empty"),
            models.CheckConstraint(condition=~Q(title=""), name="page_title_not_empty"),
            models.CheckConstraint(
                condition=Q(embed_model="", embedding=None)
                | (~Q(embed_model="") & Q(embedding__isnull=False)),
                name="page_embed_model_empty_exactly_without_vector",
            ),
            models.CheckConstraint(
                condition=Q(failed_model="") | (~Q(embed_error="") & Q(embedding=None)),
                name="page_failed_has_error_and_no_vector",
            ),
            # The distance to a zero vector is NaN, and NaN sorts above every number: it would be
            # "similar" to anything.
            models.CheckConstraint(
                condition=Q(embedding=None)
                | Q(
                    GreaterThan(
                        Func("embedding", function="vector_norm", output_field=FloatField()), 0.0
                    )
                ),
                name="page_embedding_not_zero",
            ),
            models.CheckConstraint(
                condition=Q(replaced_by=None) | Q(standing=Standing.REPLACED),
                name="page_successor_only_of_replaced",
            ),
            models.CheckConstraint(
                condition=Q(merged_into=None) | Q(trashed_at__isnull=False),
                name="page_merged_is_not_live",
            ),
        ]
        indexes = [
            models.Index(fields=["wiki", "embed_model"], name="page_wiki_model"),
            models.Index(fields=["wiki", "-updated_at"], name="page_wiki_updated"),
            models.Index(fields=["wiki", "title_key"], name="page_wiki_title"),
            GinIndex(fields=["folds"], fastupdate=False, name="page_folds"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("page", args=[self.wiki.slug, self.slug])

    @property
    def is_trashed(self) -> bool:
        return self.trashed_at is not None

    def embedding_state(self, fingerprint: str) -> EmbeddingState:
        if self.is_trashed:
            return EmbeddingState.TRASHED
        if not self.has_words:
            return EmbeddingState.WORDLESS
        if self.failed_model == fingerprint:
            return EmbeddingState.FAILED
        return EmbeddingState.CURRENT if self.embed_model == fingerprint else EmbeddingState.STALE
