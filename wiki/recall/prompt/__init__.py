"""A recall as text for a model's prompt, within a budget."""

from wiki.recall.prompt.context_block import BUDGET, MAX_BUDGET, MIN_BUDGET, context_block

__all__ = ["BUDGET", "MAX_BUDGET", "MIN_BUDGET", "context_block"]
