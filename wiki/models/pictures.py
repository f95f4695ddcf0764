"""Pictures on pages: the row; the bytes lie in COVEY_DATA_DIR (pictures.py)."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wiki.models.choices import AuthorKind
from wiki.models.traces import MAX_AUTHOR_NAME
from wiki.models.wikis import Wiki
from wiki.text import MAX_TITLE


class PictureFormat(models.TextChoices):
    """By the ending of its file; SVG is none, since it can run scripts."""

    PNG = "png", "PNG"
    JPEG = "jpg", "JPEG"
    GIF = "gif", "GIF"
    WEBP = "webp", "WebP"


class Picture(models.Model):
    """A picture of one wiki, known by its content: the same bytes are the same picture."""

    wiki = models.ForeignKey(Wiki, on_delete=models.PROTECT, related_name="pictures", verbose_name=_("wiki"))
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

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")
        ordering = ["-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["wiki", "hash"], name="picture_unique")]

    def __str__(self) -> str:
        return self.name or self.hash[:12]
