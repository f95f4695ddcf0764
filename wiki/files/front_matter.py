"""The front matter of a Markdown file. Unknown keys stay as they were written."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml

FENCE = "---"
KNOWN_KEYS = ("slug", "title", "type", "tags", "aliases", "standing", "replaced_by", "asked_as")
# Other names of known keys, as Obsidian takes them; written back under the known one.
SYNONYMS = {"alias": "aliases"}
# As covey writes them, with the time zone; anything else under these names is somebody else's.
DATE_KEYS = ("created_at", "updated_at")


class BrokenHead(Exception):
    """The front matter cannot be read; the message says why."""


@dataclass(frozen=True)
class Head:
    """`type`, `tags`, `aliases`, `standing` and `asked_as` are None where the head is silent;
    `extra` holds the lines of all other keys."""

    slug: str = ""
    title: str = ""
    type: str | None = None
    tags: list[str] | None = None
    aliases: list[str] | None = None
    standing: str | None = None
    replaced_by: str = ""
    asked_as: list[str] | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    extra: str = ""


class _Loader(yaml.BaseLoader):
    """Reads every scalar as text, so that a title like `2024` or `no` stays as it is, and refuses
    aliases. Type tags (`!!int`) are not read: they may not fit the value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        # A few aliases of aliases unfold into gigabytes.
        if self.check_event(yaml.events.AliasEvent):
            raise BrokenHead("YAML aliases are not taken.")
        return super().compose_node(parent, index)


def split_head(text: str) -> tuple[str, str]:
    """The front matter's YAML without its fences, and the body behind it. A text without front
    matter has none."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        return "", text
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in (FENCE, "..."):
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    # A lone rule at the top is Markdown, not a head.
    return "", text


def read_head(text: str) -> Head:
    """Raises BrokenHead for YAML that cannot be read or is no mapping."""
    try:
        loader = _Loader(text)
    except yaml.YAMLError as error:
        raise BrokenHead("The front matter has a character that YAML does not take.") from error
    try:
        node = loader.get_single_node()
        if node is None:
            return Head(extra=text.strip("\n"))
        if not isinstance(node, yaml.MappingNode):
            raise BrokenHead("The front matter is not a list of keys with values.")
        values = loader.construct_mapping(node, deep=True)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark else ""
        raise BrokenHead(f"The front matter is not valid YAML{where}.") from error
    except RecursionError as error:
        raise BrokenHead("The front matter is nested too deeply.") from error
    finally:
        loader.dispose()
    return Head(
        slug=_text(values, "slug"),
        title=_text(values, "title"),
        type=_text(values, "type") if "type" in values else None,
        tags=_tags(values["tags"]) if "tags" in values else None,
        aliases=_aliases(values),
        standing=_text(values, "standing") or None,
        replaced_by=_text(values, "replaced_by"),
        asked_as=_texts(values["asked_as"], "asked_as") if "asked_as" in values else None,
        created_at=_date(values.get("created_at")),
        updated_at=_date(values.get("updated_at")),
        extra=_unknown_lines(text, node),
    )


def write_head(head: Head) -> str:
    """The front matter with its fences."""
    known = {name: getattr(head, name) for name in ("title", "slug", *KNOWN_KEYS[2:])}
    given = {name: value for name, value in known.items() if value}
    for name in DATE_KEYS:
        if (date := getattr(head, name)) and not re.search(
            rf"^{name}\s*:", head.extra, re.MULTILINE
        ):
            given[name] = date.isoformat()
    lines = yaml.safe_dump(
        given, allow_unicode=True, sort_keys=False, default_flow_style=False, width=10_000
    )
    extra = f"{head.extra.rstrip()}\n" if head.extra.strip() else ""
    return f"{FENCE}\n{lines}{extra}{FENCE}\n"


def _text(values: dict[Any, Any], name: str) -> str:
    value = values.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    raise BrokenHead(f"“{name}” in the front matter is not a text.")


def _date(value: Any) -> datetime | None:
    try:
        date = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return date if date and date.tzinfo else None


def _tags(value: Any) -> list[str]:
    if not value:
        return []
    if isinstance(value, str):
        return [tag.strip().removeprefix("#") for tag in value.split(",")]
    return _texts(value, "tags")


def _aliases(values: dict[Any, Any]) -> list[str] | None:
    """A name in one line may have a comma in it: it is one."""
    given = [name for name in ("aliases", *SYNONYMS) if name in values]
    return [alias for name in given for alias in _texts(values[name], name)] if given else None


def _texts(value: Any, name: str) -> list[str]:
    if not value:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return value
    raise BrokenHead(f"“{name}” in the front matter is neither a list nor a line of texts.")


def _unknown_lines(text: str, node: yaml.MappingNode) -> str:
    """The source lines of the keys that covey does not know, comments included."""
    if node.flow_style:
        values = _Loader(text).get_single_data()
        unknown = {key: value for key, value in values.items() if not _is_known(key, value)}
        return (
            yaml.safe_dump(unknown, allow_unicode=True, sort_keys=False).strip("\n")
            if unknown
            else ""
        )
    # By place, not by line: YAML ends a line at U+2028 too.
    starts = [key.start_mark.index - key.start_mark.column for key, _ in node.value]
    kept = [text[: starts[0]]]
    for (key, value), start, end in zip(node.value, starts, [*starts[1:], len(text)], strict=True):
        is_known = _is_known(getattr(key, "value", None), getattr(value, "value", None))
        kept.append(_comments(text[start:end]) if is_known else text[start:end])
    return "".join(kept).strip("\n")


def _is_known(key: Any, value: Any) -> bool:
    return key in (*KNOWN_KEYS, *SYNONYMS) or (key in DATE_KEYS and _date(value) is not None)


def _comments(part: str) -> str:
    return "".join(f"{line}\n" for line in part.split("\n")[1:] if line.startswith("#"))
