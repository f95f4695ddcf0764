"""What a recall found, as text for a model's prompt.

`size` estimates how much of the prompt a text takes, `quoting` keeps quoted text from posing as
anything else, `pages` and `listing` draw the two parts, `block` puts them together within a budget.
"""

from wiki.recall.prompt.context_block import BUDGET, MAX_BUDGET, MIN_BUDGET, context_block

__all__ = ["BUDGET", "MAX_BUDGET", "MIN_BUDGET", "context_block"]
