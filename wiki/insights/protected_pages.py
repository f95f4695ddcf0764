"""Insights that belong to a protected page: people decide about them."""

from wiki.insights.filing import Matter
from wiki.models import Insight, Outcome, SuggestionKind, SuggestionState
from wiki.suggestions.propose import SuggestedChange, save_suggestion


def suggest_if_held_back(insight: Insight, matter: Matter) -> Insight:
    """Called where an insight is filed, in the same transaction: one that belongs to a protected
    page is pending with that page, and becomes a suggestion."""
    page = insight.page
    if insight.outcome != Outcome.PENDING or page is None:
        return insight
    wanted = SuggestedChange(SuggestionKind.INSIGHT, body=matter.said_on(page))
    insight.suggestion = save_suggestion(page, matter.author, wanted, matter.source)
    if insight.suggestion.state == SuggestionState.REJECTED:
        insight.outcome = Outcome.NOISE
    insight.save(update_fields=["suggestion", "outcome"])
    return insight
