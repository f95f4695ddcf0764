"""The kinds of findings, in the order of the screen."""

from django.db import models
from django.utils.translation import gettext_lazy as _

# Characters, about a sentence: a shorter page is a stub.
STUB_CHARACTERS = 80


class Finding(models.TextChoices):
    DEAD_LINKS = "dead-links", _("Dead links")
    ORPHANS = "orphans", _("Orphans")
    DUPLICATES = "duplicates", _("Suspected duplicates")
    SAME_TITLES = "same-titles", _("Same titles")
    OUTDATED = "outdated", _("Outdated, still linked to")
    FAILED = "failed", _("Not embedded")
    STALE = "stale", _("Waiting to be embedded")
    DIARY = "diary", _("Diary titles")
    STUBS = "stubs", _("Stubs")
    LONG = "long", _("Long pages")
    UNTYPED = "untyped", _("Without a type")
    UNCONFIRMED = "unconfirmed", _("Untouched for a year")
