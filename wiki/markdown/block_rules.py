"""Rules for blocks: definitions within insights, and the alignment of tables."""

from collections.abc import Callable

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore

from wiki.markdown.insight_block import INSIGHT

BlockRule = Callable[[StateBlock, int, int, bool], bool]


def outside_insights(rule: BlockRule) -> BlockRule:
    """Ignore definitions within an insight: one counts for the whole page, and the text of an agent
    changes none around it."""

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return not _is_in_insight(state) and rule(state, start, end, silent)

    return guarded


def not_from_fences(rule: BlockRule) -> BlockRule:
    """Keep the bars in an insight's first line from making a table with a ruler below it."""

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        return not state.src.startswith(":::", first) and rule(state, start, end, silent)

    return guarded


def _is_in_insight(state: StateBlock) -> bool:
    seen, depth = state.env.get("insights", (0, 0))
    for token in state.tokens[seen:]:
        if token.type in (f"container_{INSIGHT}_open", f"container_{INSIGHT}_close"):
            depth += token.nesting
    state.env["insights"] = (len(state.tokens), depth)
    return depth > 0


def align_by_class(state: StateCore) -> None:
    """Turn inline styles, which the Content-Security-Policy forbids, into classes."""
    for token in state.tokens:
        if style := token.attrs.pop("style", ""):
            token.attrs["class"] = str(style).replace("text-align:", "align-")
