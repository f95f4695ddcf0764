"""Insights that belong to a protected page: people decide about them."""

from wiki.comparison.entailment import said_on
from wiki.models import Insight, Outcome, SuggestionKind, SuggestionState
from wiki.pages.author import Author
from wiki.suggestions.propose import SuggestedChange, save_suggestion


def suggest_if_held_back(insight: Insight) -> None:
    """Called where an insight is filed, in the same transaction: one that belongs to a protected
    page is pending with that page, and becomes a suggestion."""
    page = insight.page
    if insight.outcome != Outcome.PENDING or page is None:
        return
    wanted = SuggestedChange(
        SuggestionKind.INSIGHT, body=said_on(insight.title, insight.text, page.title)
    )
    author = Author.of_agent(insight.agent, insight.token)
    insight.suggestion = save_suggestion(page, author, wanted, insight.source)
    if insight.suggestion.state == SuggestionState.REJECTED:
        insight.outcome = Outcome.NOISE
    insight.save(update_fields=["suggestion", "outcome"])
