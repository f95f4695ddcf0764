"""The tables. What the database can guarantee is a constraint; rules across rows live in the modules beside this."""

from wiki.models.choices import AuthorKind, EmbeddingState, Outcome, PageType, RevisionKind, Scope
from wiki.models.memory import ApiToken, ApiTokenQuerySet, Heartbeat, Insight
from wiki.models.pages import MAX_TAG, Page, PageQuerySet
from wiki.models.traces import Link, Redirect, Revision, RevisionQuerySet
from wiki.models.wikis import MAX_DESCRIPTION, Agent, Wiki

__all__ = [
    "Agent",
    "ApiToken",
    "ApiTokenQuerySet",
    "AuthorKind",
    "EmbeddingState",
    "Heartbeat",
    "Insight",
    "Link",
    "MAX_DESCRIPTION",
    "MAX_TAG",
    "Outcome",
    "Page",
    "PageQuerySet",
    "PageType",
    "Redirect",
    "Revision",
    "RevisionKind",
    "RevisionQuerySet",
    "Scope",
    "Wiki",
]
