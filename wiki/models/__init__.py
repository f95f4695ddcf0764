"""The tables. A guarantee of the database is a constraint; rules across rows live in the packages
of their feature."""

from wiki.models.agents import MAX_AGENT_NAME, Agent, AgentQuerySet
from wiki.models.api_tokens import ApiToken, ApiTokenQuerySet, RequestCount
from wiki.models.choices import (
    AuthorKind,
    EmbeddingState,
    MergeMode,
    Outcome,
    PageType,
    ProposalReason,
    ProposalState,
    RevisionKind,
    Role,
    RunState,
    Scope,
    Standing,
    SuggestionKind,
    SuggestionState,
)
from wiki.models.images import Picture, PictureFormat, PictureQuerySet
from wiki.models.indexing import Calibration, Canary, Centre, Heartbeat, KeptVector, ReembedRun
from wiki.models.insights import MAX_ORIGIN, Insight
from wiki.models.links import Link, Redirect
from wiki.models.members import FeedKey, Invitation, Visit
from wiki.models.merges import MaintenanceRun, Merge, MergeProposal, MergeProposalQuerySet
from wiki.models.page_counts import PageCount
from wiki.models.page_vectors import PageVector
from wiki.models.page_words import PageWords, Term
from wiki.models.pages import MAX_TAG, Page, PageQuerySet, in_state
from wiki.models.recalls import (
    MAX_QUESTION,
    MAX_QUESTIONS,
    AskedAs,
    AskedAsQuerySet,
    HandedPage,
    HandedPageQuerySet,
    Receipt,
)
from wiki.models.revisions import (
    MAX_AUTHOR_NAME,
    MAX_SUMMARY,
    Confirmation,
    Revision,
    RevisionQuerySet,
)
from wiki.models.suggestions import MAX_REASON, Suggestion, SuggestionQuerySet
from wiki.models.wikis import MAX_DESCRIPTION, Membership, Person, Wiki, WikiQuerySet, is_superuser

__all__ = [
    "Agent",
    "AgentQuerySet",
    "ApiToken",
    "ApiTokenQuerySet",
    "AskedAs",
    "AskedAsQuerySet",
    "AuthorKind",
    "Calibration",
    "Canary",
    "Centre",
    "Confirmation",
    "EmbeddingState",
    "FeedKey",
    "HandedPage",
    "HandedPageQuerySet",
    "Heartbeat",
    "Insight",
    "Invitation",
    "KeptVector",
    "Link",
    "MAX_AGENT_NAME",
    "MAX_AUTHOR_NAME",
    "MAX_DESCRIPTION",
    "MAX_ORIGIN",
    "MAX_QUESTION",
    "MAX_QUESTIONS",
    "MAX_REASON",
    "MAX_SUMMARY",
    "MAX_TAG",
    "MaintenanceRun",
    "Membership",
    "Merge",
    "MergeMode",
    "MergeProposal",
    "MergeProposalQuerySet",
    "Outcome",
    "Page",
    "PageCount",
    "PageQuerySet",
    "PageType",
    "PageVector",
    "PageWords",
    "Person",
    "Picture",
    "PictureFormat",
    "PictureQuerySet",
    "ProposalReason",
    "ProposalState",
    "Receipt",
    "Redirect",
    "ReembedRun",
    "RequestCount",
    "Revision",
    "RevisionKind",
    "RevisionQuerySet",
    "Role",
    "RunState",
    "Scope",
    "Standing",
    "Suggestion",
    "SuggestionKind",
    "SuggestionQuerySet",
    "SuggestionState",
    "Term",
    "Visit",
    "Wiki",
    "WikiQuerySet",
    "in_state",
    "is_superuser",
]
