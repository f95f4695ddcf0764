"""The short closed lists, in the reader's language."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


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
    RENAME = "rename", _("renamed")
    LINKS = "links", _("links rewritten")
    MARK = "mark", _("marked")
    UNDO = "undo", _("changes undone")
    MERGE = "merge", _("merged")
    PROTECT = "protect", _("protected")
    UNPROTECT = "unprotect", _("protection lifted")


class Standing(models.TextChoices):
    """The status of a page."""

    HOLDS = "", _("holds")
    OUTDATED = "outdated", _("outdated")
    REPLACED = "replaced", _("replaced")


class MergeMode(models.TextChoices):
    """The default for two pages that are nearly the same and differ in no fact."""

    AUTO = "auto", _("merge them")
    REVIEW = "review", _("only propose it")


class ProposalState(models.TextChoices):
    OPEN = "open", _("open")
    LATER = "later", _("put off")
    DISMISSED = "dismissed", _("not the same")
    MERGED = "merged", _("merged")
    WITHDRAWN = "withdrawn", _("withdrawn")


class ProposalReason(models.TextChoices):
    """Why a pair was not merged by itself."""

    GUARDED = "guarded", _("they do not say the same")
    PEOPLE = "people", _("people wrote on both")
    NEAR = "near", _("similar, but below the threshold")
    TITLE = "title", _("the same title")
    REVIEW = "review", _("everything is reviewed here")
    ASKED = "asked", _("proposed by somebody")
    REFUSED = "refused", _("one page cannot hold both")
    PROTECTED = "protected", _("at least one is protected")


class SuggestionKind(models.TextChoices):
    """A change that an agent suggests for a protected page."""

    EDIT = "edit", _("a new text")
    APPEND = "append", _("a paragraph at the end")
    INSIGHT = "insight", _("an insight at the end")
    TRASH = "trash", _("to the trash")
    RESTORE = "restore", _("back from the trash")


class SuggestionState(models.TextChoices):
    OPEN = "open", pgettext_lazy("suggestion", "waits")
    ACCEPTED = "accepted", pgettext_lazy("suggestion", "accepted")
    REJECTED = "rejected", pgettext_lazy("suggestion", "rejected")
    WITHDRAWN = "withdrawn", pgettext_lazy("suggestion", "withdrawn by the agent")


class Role(models.TextChoices):
    """A role includes those before it."""

    READER = "reader", _("Reader")
    EDITOR = "editor", _("Editor")
    OWNER = "owner", _("Owner")

    def includes(self, other: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


class Outcome(models.TextChoices):
    CREATED = "created", _("new page")
    APPENDED = "appended", _("appended")
    KNOWN = "known", _("already known")
    NOISE = "noise", _("noise")
    PENDING = "pending", pgettext_lazy("insight", "waiting")


class Scope(models.TextChoices):
    """Every token recalls and follows its own insights."""

    READ = "read", _("recall and read pages")
    FILE = "file", _("recall and hand in insights")
    WRITE = "write", _("read and write everything")


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
