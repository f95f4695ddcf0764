"""The short closed lists, in the reader's language."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class PageType(models.TextChoices):
    CUSTOMER = "customer", _("Customer")
    PROJECT = "project", _("Project")
    SYSTEM = "system", _("System")
    PERSON = "person", _("Person")
    PROBLEM = "problem", _("Problem")
    TOPIC = "topic", _("Topic")

    @classmethod
    def label_of(cls, type: str) -> str:
        """In the reader's language; empty for none."""
        return str(cls(type).label) if type in cls.values else ""


class AuthorKind(models.TextChoices):
    PERSON = "person", _("Person")
    AGENT = "agent", _("Agent")
    MAINTENANCE = "maintenance", _("Maintenance")


class RevisionKind(models.TextChoices):
    CREATE = "create", _("created")
    EDIT = "edit", _("edited")
    APPEND = "append", _("appended")
    INSIGHT = "insight", _("insight filed")
    IMPORT = "import", _("imported")
    REVERT = "revert", _("earlier revision restored")
    TRASH = "trash", _("moved to the trash")
    RESTORE = "restore", _("restored from the trash")


class Outcome(models.TextChoices):
    CREATED = "created", _("new page")
    APPENDED = "appended", _("appended")
    KNOWN = "known", _("already known")
    NOISE = "noise", _("noise")
    PENDING = "pending", _("waiting for the embedding")


class Scope(models.TextChoices):
    READ = "read", _("read")
    WRITE = "write", _("read and write")


class EmbeddingState(models.TextChoices):
    CURRENT = "current", _("up to date")
    STALE = "stale", _("will be embedded")
    FAILED = "failed", _("failed")
    WORDLESS = "wordless", _("no word to embed")
    TRASHED = "trashed", _("in the trash")


class RunState(models.TextChoices):
    """Of the run that embeds stale pages."""

    IDLE = "idle", _("nothing to do")
    RUNNING = "running", _("embedding")
    WAITING = "waiting", _("waiting for the embedding service")
    FAILED = "failed", _("the embedding service stays away")
    STOPPED = "stopped", _("stopped: waiting does not help")
