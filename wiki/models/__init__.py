"""The tables. What the database can guarantee is a constraint; rules across rows live in the modules beside this."""

from wiki.models.choices import (
    AuthorKind,
    EmbeddingState,
    Outcome,
    PageType,
    RevisionKind,
    Role,
    RunState,
    Scope,
    Standing,
)
from wiki.models.memory import MAX_ORIGIN, ApiToken, ApiTokenQuerySet, Canary, Heartbeat, Insight, ReembedRun
from wiki.models.pages import MAX_TAG, Page, PageQuerySet, in_state
from wiki.models.pictures import Picture, PictureFormat
from wiki.models.traces import MAX_AUTHOR_NAME, MAX_SUMMARY, Confirmation, Link, Redirect, Revision, RevisionQuerySet
from wiki.models.wikis import (
    MAX_AGENT_NAME,
    MAX_DESCRIPTION,
    Agent,
    FeedKey,
    Invitation,
    Membership,
    Visit,
    Wiki,
    WikiQuerySet,
)

__all__ = [
    "Agent",
    "ApiToken",
    "ApiTokenQuerySet",
    "AuthorKind",
    "Canary",
    "Confirmation",
    "EmbeddingState",
    "FeedKey",
    "Heartbeat",
    "Insight",
    "Invitation",
    "Link",
    "MAX_AGENT_NAME",
    "MAX_AUTHOR_NAME",
    "MAX_DESCRIPTION",
    "MAX_ORIGIN",
    "MAX_SUMMARY",
    "MAX_TAG",
    "Membership",
    "Outcome",
    "Page",
    "PageQuerySet",
    "PageType",
    "Picture",
    "PictureFormat",
    "Redirect",
    "ReembedRun",
    "Revision",
    "RevisionKind",
    "RevisionQuerySet",
    "Role",
    "RunState",
    "Scope",
    "Standing",
    "Visit",
    "Wiki",
    "WikiQuerySet",
    "in_state",
]
