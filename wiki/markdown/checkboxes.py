import html
import re

from django.utils.translation import gettext
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_CHECKBOX = re.compile(r"\[([ xX])\]\s+")


# The plugin for them looks through all list items before each one: a page of 60,000 takes it
# minutes.
def draw_checkboxes(state: StateCore) -> None:
    """Draw `- [ ] task` as a checkbox."""
    lists: list[Token] = []
    item = paragraph = Token("", "", 0)
    for token in state.tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        is_first_in_item = (item.type, paragraph.type, token.type) == (
            "list_item_open",
            "paragraph_open",
            "inline",
        )
        if is_first_in_item and (mark := _CHECKBOX.match(token.content)):
            _draw_checkbox(token, is_done=mark[1] != " ")
            item.attrSet("class", "task-list-item")
            lists[-1].attrSet("class", "contains-task-list")
        item, paragraph = paragraph, token


def _draw_checkbox(inline: Token, *, is_done: bool) -> None:
    box = Token("html_inline", "", 0)
    checked = 'checked="checked" ' if is_done else ""
    label = html.escape(gettext("done") if is_done else gettext("to do"))
    box.content = (
        f'<input class="task-list-item-checkbox" {checked}disabled="disabled" '
        f'type="checkbox" aria-label="{label}">'
    )
    children = inline.children or []
    children[0].content, inline.content = children[0].content[3:], inline.content[3:]
    inline.children = [box, *children]
