"""Pictures on pages: the row; the bytes lie in COVEY_DATA_DIR (wiki/images/storage.py)."""

from collections.abc import Iterable

from django.db import models
from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Concat, Left
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.markdown import PICTURE_NAME_DIGITS, picture_address
from wiki.models.choices import AuthorKind
from wiki.models.revisions import MAX_AUTHOR_NAME
from wiki.models.wikis import Wiki
from wiki.text.cleaning import MAX_TITLE


class PictureFormat(models.TextChoices):
    """By the ending of its file; SVG is none, since it can run scripts."""

    PNG = "png", "PNG"
    JPEG = "jpg", "JPEG"
    GIF = "gif", "GIF"
    WEBP = "webp", "WebP"


class PictureQuerySet(QuerySet["Picture"]):
    def named(self, names: Iterable[str]) -> "PictureQuerySet":
        """Pictures by the names under which texts know them. Of two with one name the older one
        keeps it."""
        known_as = Concat(
            Left("hash", PICTURE_NAME_DIGITS), Value("."), "format", output_field=CharField()
        )
        return (
            self.annotate(known_as=known_as)
            .filter(known_as__in=list(names))
            .order_by("created_at", "id")
        )


class Picture(models.Model):
    """A picture of one wiki, known by its content: the same bytes are the same picture."""

    wiki = models.ForeignKey(
        Wiki, on_delete=models.PROTECT, related_name="pictures", verbose_name=_("wiki")
    )
    hash = models.CharField(max_length=64, editable=False)
    format = models.CharField(max_length=4, choices=PictureFormat.choices, editable=False)
    # As it was called when it came in.
    name = models.CharField(_("name"), max_length=MAX_TITLE, blank=True)
    bytes = models.PositiveIntegerField(editable=False)
    width = models.PositiveIntegerField(editable=False)
    height = models.PositiveIntegerField(editable=False)
    author_kind = models.CharField(max_length=20, choices=AuthorKind.choices)
    author_name = models.CharField(max_length=MAX_AUTHOR_NAME)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = PictureQuerySet.as_manager()

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")
        ordering = ["-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["wiki", "hash"], name="picture_unique")]

    def __str__(self) -> str:
        return self.name or self.hash[:12]

    def get_absolute_url(self) -> str:
        return reverse("picture", args=[self.wiki.slug, self.file_name])

    @property
    def file_name(self) -> str:
        """Its name in texts, in addresses and in an export."""
        return f"{self.hash[:PICTURE_NAME_DIGITS]}.{self.format}"

    @property
    def address(self) -> str:
        return picture_address(self.file_name)

    @property
    def kibibytes(self) -> int:
        return -(-self.bytes // 1024)
