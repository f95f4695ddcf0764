"""The front matter of a Markdown file. Whatever is not understood stays as it was written, and no
file is refused for it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import yaml
from django.utils import timezone

from wiki.pages.fields import InvalidPage, PageFields
from wiki.text.cleaning import clean_line

FENCE = "---"
STANDINGS = ("holds", "outdated", "replaced")
# As covey writes them, with the time zone.
DATE_KEYS = ("created_at", "updated_at")
# Other names of known keys, as Obsidian takes them; written back under the known one.
SYNONYMS = {"alias": "aliases"}
# What others call the dates; these lines stay as they are.
_CREATED = ("created_at", "created", "date", "date created", "creation date")
_UPDATED = ("updated_at", "updated", "modified", "lastmod", "last_modified", "date modified")
# A key begins at the margin, and a blank or the end of the line follows its colon.
_KEY = re.compile(
    r"""(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'#\-\[\]{},&*!|>%@`:][^:\n]*?))\s*:(?=\s|$)"""
)
# Lines at the margin that begin no key and yet belong to a head.
_CONTINUED = ("#", "-", "]", "}", " ", "\t")


@dataclass(frozen=True)
class Head:
    """`type`, `tags`, `aliases`, `standing` and `asked_as` are None where the head is silent;
    `extra` holds the lines of all other keys, `notes` what was not understood."""

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
    notes: tuple[str, ...] = ()
    # Whether the dates are in covey's own keys, as an export writes them.
    is_dated: bool = False


class _NotUnderstood(Exception):
    pass


class _Part(NamedTuple):
    """The lines of a key; none for what stands above the first."""

    key: str
    source: str


class _Loader(yaml.BaseLoader):
    """Reads every scalar as text, so that a title like `2024` or `no` stays as it is, and refuses
    aliases. Type tags (`!!int`) are not read: they may not fit the value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        # A few aliases of aliases unfold into gigabytes.
        if self.check_event(yaml.events.AliasEvent):
            raise _NotUnderstood
        return super().compose_node(parent, index)


def split_head(text: str) -> tuple[str, str]:
    """The front matter's YAML without its fences, and the body behind it. A text without front
    matter has none, nor has one that begins with a rule."""
    lines = text.lstrip("\n").split("\n")
    if lines[0].rstrip() != FENCE:
        return "", text
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in (FENCE, "..."):
            head, body = "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
            return (head, body) if _is_head(head) else ("", text)
    # A lone rule at the top is Markdown, not a head.
    return "", text


def _is_head(text: str) -> bool:
    """Keys at the margin, nothing else; prose between two rules ("Note: …") has a blank line above,
    or words before its colon."""
    if text.lstrip().startswith("{"):
        return isinstance(_load(text), dict)
    lines = [line for line in text.split("\n") if line.strip()]
    keys = [part.key for part in _find_parts(text) if part.key]
    if not all(line.startswith(_CONTINUED) or _KEY.match(line) for line in lines):
        return False
    if not keys:
        return all(line.startswith("#") for line in lines)
    is_ours = any(key in (*KNOWN_KEYS, *SYNONYMS, *_CREATED, *_UPDATED) for key in keys)
    return is_ours or not (text.startswith("\n") or any(" " in key for key in keys))


def read_head(text: str) -> Head:
    """Read key by key, so that one that is not YAML ("title: Foo: bar") costs no other."""
    values: dict[str, Any] = {}
    dates: dict[str, datetime] = {}
    extra, notes, is_dated = [], [], False
    for key, source in _find_parts(text):
        name = SYNONYMS.get(key, key)
        date = _read_date(source) if key in (*_CREATED, *_UPDATED) else None
        if date:
            dates[key] = date
        if date and key in DATE_KEYS and _has_zone(source):
            is_dated = True
            extra.append(_comments(source))
        elif name not in _READERS:
            extra.append(source)
        else:
            try:
                value = _READERS[name](_value_of(key, source))
                if key in SYNONYMS:
                    value = [*values.get(name, []), *value]
                elif name in SYNONYMS.values():
                    value = [*value, *values.get(name, [])]
                values[name] = value
                extra.append(_comments(source))
            except _NotUnderstood:
                extra.append(source)
                notes.append(f"“{key}” in the front matter was not understood and is kept.")
    return Head(
        **values,
        created_at=_first(dates, _CREATED),
        updated_at=_first(dates, _UPDATED),
        extra="\n".join(filter(None, extra)).strip("\n"),
        notes=tuple(notes),
        is_dated=is_dated,
    )


def _find_parts(text: str) -> Iterator[_Part]:
    if text.lstrip().startswith("{"):
        for key, value in (_load(text) or {}).items():
            source = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False)
            yield _Part(str(key), source.rstrip("\n"))
        return
    key = ""
    lines: list[str] = []
    for line in text.split("\n"):
        if found := _KEY.match(line):
            if lines:
                yield _Part(key, "\n".join(lines))
            key, lines = next(filter(None, found.groups())).strip(), []
        lines.append(line)
    yield _Part(key, "\n".join(lines))


def _value_of(key: str, source: str) -> Any:
    """The value as YAML has it; of one line that is not YAML, what stands behind the colon."""
    first, *more = source.split("\n")
    found = _KEY.match(first)
    behind = first[found.end() :].strip() if found else ""
    values = _load(source) or _load(source.replace("\t", "  "))
    value = values.get(key) if isinstance(values, dict) else None
    if value is None and any(line.strip() and not line.startswith("#") for line in more):
        raise _NotUnderstood
    if value is None and behind.startswith(("[", "{")):
        raise _NotUnderstood
    # What begins with a sign of its own is no comment: "tags: #one, #two".
    return behind if value is None or (value == "" and behind.startswith("#")) else value


def _load(source: str) -> Any:
    try:
        loader = _Loader(source)
    except yaml.YAMLError:
        return None
    try:
        return loader.get_single_data()
    except (yaml.YAMLError, RecursionError, _NotUnderstood, TypeError):
        return None
    finally:
        loader.dispose()


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise _NotUnderstood
    return value


def _fit(**fields: Any) -> None:
    """What is over a limit, or no type, is not understood either."""
    try:
        PageFields.clean(**{"title": "?", "body": "", **fields})
    except InvalidPage as error:
        raise _NotUnderstood from error


def _read_title(value: Any) -> str:
    title = _read_text(value)
    if title:
        _fit(title=title)
    return title


def _read_type(value: Any) -> str:
    word = _read_text(value)
    _fit(type=word)
    return word


def _read_aliases(value: Any) -> list[str]:
    names = _read_texts(value)
    _fit(aliases=names)
    return names


def _read_standing(value: Any) -> str | None:
    word = clean_line(_read_text(value)).lower()
    if word and word not in STANDINGS:
        raise _NotUnderstood
    return word or None


def _read_tags(value: Any) -> list[str]:
    """A list, words with commas, or words alone."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    tags = [tag.strip() for tag in _read_texts(value)]
    _fit(tags=tags)
    return tags


def _read_texts(value: Any) -> list[str]:
    """A list or one text. A name in one line may have a comma in it."""
    if not value:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return value
    raise _NotUnderstood


_READERS: dict[str, Callable[[Any], Any]] = {
    "slug": _read_text,
    "title": _read_title,
    "type": _read_type,
    "tags": _read_tags,
    "aliases": _read_aliases,
    "standing": _read_standing,
    "replaced_by": _read_text,
    "asked_as": _read_texts,
}
KNOWN_KEYS = tuple(_READERS)


def _date_text(source: str) -> str:
    return source.split("\n")[0].partition(":")[2].strip().strip("\"'")


def _has_zone(source: str) -> bool:
    """As covey writes its dates; of others the lines stay."""
    return datetime.fromisoformat(_date_text(source)).tzinfo is not None


def _read_date(source: str) -> datetime | None:
    """A day or a time; without a time zone it is that of the installation."""
    text = _date_text(source)
    for read in (datetime.fromisoformat, _read_german_day):
        try:
            date = read(text)
            return date if date.tzinfo else timezone.make_aware(date)
        except (ValueError, OverflowError):
            continue
    return None


def _read_german_day(text: str) -> datetime:
    return datetime.strptime(text, "%d.%m.%Y")


def _first(dates: dict[str, datetime], names: tuple[str, ...]) -> datetime | None:
    return next((dates[name] for name in names if name in dates), None)


def write_head(head: Head) -> str:
    """The front matter with its fences."""
    known = {name: getattr(head, name) for name in ("title", "slug", *KNOWN_KEYS[2:])}
    given = {name: value for name, value in known.items() if value}
    kept = dict.fromkeys(part.key for part in _find_parts(head.extra))
    for name in DATE_KEYS:
        if (date := getattr(head, name)) and name not in kept:
            given[name] = date.isoformat()
    lines = yaml.safe_dump(
        given, allow_unicode=True, sort_keys=False, default_flow_style=False, width=10_000
    )
    # A key that was not understood gives way to what the page has by now.
    parts = [source for key, source in _find_parts(head.extra) if key not in given]
    extra = "\n".join(parts).rstrip()
    extra = f"{extra}\n" if extra.strip() else ""
    return f"{FENCE}\n{lines}{extra}{FENCE}\n"


def _comments(part: str) -> str:
    return "\n".join(line for line in part.split("\n")[1:] if line.startswith("#"))
