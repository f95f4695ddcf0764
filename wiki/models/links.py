"""Links between pages, and former addresses."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import CharField, F, Q, QuerySet, Value
from django.db.models.functions import Concat, Replace
from django.utils import timezone

from embeddings.hash_embedder import split_words
from wiki.markdown import MAX_NAME
from wiki.models.pages import QUERIED_WORDS, Page, fits_all, strip_accents
from wiki.models.wikis import Wiki
from wiki.text.cleaning import MAX_TITLE
from wiki.text.slugs import MAX_SLUG, fold_slug


class LinkQuerySet(QuerySet["Link"]):
    def live(self) -> "LinkQuerySet":
        """Those of live pages."""
        return self.filter(from_page__trashed_at=None)


class Link(models.Model):
    """A link of a page: what a wikilink says before its bar, or what the address of a Markdown link
    says of a page. `target_key` is the slug of the page that it asks for."""

    from_page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="links")
    target_key = models.CharField(max_length=MAX_SLUG)
    target_text = models.CharField(max_length=MAX_NAME)
    is_address = models.BooleanField(default=False)
    # Several pages have this name: it leads to none of them, but to a choice.
    is_ambiguous = models.BooleanField(default=False)
    target_folds = ArrayField(models.CharField(max_length=MAX_SLUG * 3), default=list)
    resolved_page = models.ForeignKey(
        Page, on_delete=models.SET_NULL, null=True, blank=True, related_name="incoming_links"
    )

    objects = LinkQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["from_page", "target_text", "is_address"], name="link_target_unique"
            ),
            models.CheckConstraint(
                condition=Q(is_ambiguous=False) | Q(resolved_page=None),
                name="link_ambiguous_has_no_page",
            ),
        ]
        indexes = [GinIndex(fields=["target_folds"], fastupdate=False, name="link_target_folds")]

    def __str__(self) -> str:
        return f"{self.from_page_id} → {self.target_text}"


def _typed_slug() -> Concat:
    """Former addresses as their words are typed: with a hyphen before each word, "übung" as "ubung"
    and "uebung"."""
    slug = Replace(F("slug"), Value("ß"), Value("ss"))
    german = slug
    for letter, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
        german = Replace(german, Value(letter), Value(letters))
    return Concat(Value("-"), strip_accents(slug), Value("-"), german, output_field=CharField())


class RedirectQuerySet(QuerySet["Redirect"]):
    def live(self) -> "RedirectQuerySet":
        """Those to live pages."""
        return self.filter(page__trashed_at=None)

    def named(self, text: str) -> "RedirectQuerySet":
        """Those in which every word of the text begins a word; none for a text without a word."""
        words = [fold_slug(word) for word in split_words(text)[:QUERIED_WORDS]]
        if not words:
            return self.none()
        begins = fits_all(words, lambda form: Q(typed__contains=f"-{form}"))
        return self.annotate(typed=_typed_slug()).filter(begins).order_by("slug")


class Redirect(models.Model):
    """A former address or name of a page. A page that now has this slug comes first."""

    wiki = models.ForeignKey(Wiki, on_delete=models.CASCADE, related_name="redirects")
    slug = models.CharField(max_length=MAX_SLUG)
    # The name as it was written; empty where only the address is known.
    title = models.CharField(max_length=MAX_TITLE, blank=True)
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="redirects")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RedirectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["wiki", "slug"], name="redirect_slug_unique")
        ]

    def __str__(self) -> str:
        return f"{self.slug} → {self.page_id}"
