"""The tables. What the database can guarantee is a constraint; rules across rows live in the modules beside this."""

from wiki.models.choices import AuthorKind, EmbeddingState, Outcome, PageType, RevisionKind, RunState, Scope
from wiki.models.memory import MAX_ORIGIN, ApiToken, ApiTokenQuerySet, Canary, Heartbeat, Insight, ReembedRun
from wiki.models.pages import MAX_TAG, Page, PageQuerySet, in_state
from wiki.models.traces import MAX_AUTHOR_NAME, MAX_SUMMARY, Link, Redirect, Revision, RevisionQuerySet
from wiki.models.wikis import MAX_AGENT_NAME, MAX_DESCRIPTION, Agent, Wiki

__all__ = [
    "Agent",
    "ApiToken",
    "ApiTokenQuerySet",
    "AuthorKind",
    "Canary",
    "EmbeddingState",
    "Heartbeat",
    "Insight",
    "Link",
    "MAX_AGENT_NAME",
    "MAX_AUTHOR_NAME",
    "MAX_DESCRIPTION",
    "MAX_ORIGIN",
    "MAX_SUMMARY",
    "MAX_TAG",
    "Outcome",
    "Page",
    "PageQuerySet",
    "PageType",
    "Redirect",
    "ReembedRun",
    "Revision",
    "RevisionKind",
    "RevisionQuerySet",
    "RunState",
    "Scope",
    "Wiki",
    "in_state",
]
