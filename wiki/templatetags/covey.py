"""Template tags: authors, times, similarities, marked text."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localdate, localtime, now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from wiki.comparison import DifferenceKind
from wiki.graph import ICON_PATHS
from wiki.images.formats import MAX_PICTURE_BYTES
from wiki.indexing.reindex import Progress, find_unfinished
from wiki.models import AuthorKind, PageType, Wiki
from wiki.pages.listing import NO_TYPE
from wiki.search.matcher import Matcher
from wiki.search.similarity import describe_similarity
from wiki.text.excerpts import Part

register = template.Library()


@register.filter
def ago(moment: datetime) -> SafeString:
    """ "2 days ago" with the exact time as a tooltip; a date for the distant past."""
    return _time(moment, _ago(moment))


@register.filter
def within_day(moment: datetime) -> SafeString:
    """Below the name of a day: how long ago it was today, else the time of the day."""
    is_today = localtime(moment).date() == localdate()
    return _time(
        moment, _ago(moment) if is_today else date_format(localtime(moment), "TIME_FORMAT")
    )


def _time(moment: datetime, words: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        f"{date_format(localtime(moment), 'DATETIME_FORMAT')} {localtime(moment):%Z}",
        words,
    )


def _ago(moment: datetime) -> str:
    passed = now() - moment
    minutes, hours, days = (
        int(passed.total_seconds() // 60),
        int(passed.total_seconds() // 3600),
        passed.days,
    )
    if minutes < 1:
        return _("just now")
    if hours < 1:
        return ngettext("{n} minute ago", "{n} minutes ago", minutes).format(n=minutes)
    if days < 1:
        return ngettext("{n} hour ago", "{n} hours ago", hours).format(n=hours)
    if days < 14:
        return (
            _("yesterday")
            if days == 1
            else ngettext("{n} day ago", "{n} days ago", days).format(n=days)
        )
    if days < 60:
        return ngettext("{n} week ago", "{n} weeks ago", days // 7).format(n=days // 7)
    return date_format(localtime(moment))


@register.simple_tag
def who(kind: str, name: str) -> SafeString:
    """The author with the sign of their kind: a dot, a square, a diamond."""
    return format_html(
        '<span class="who {}"><span class="unseen">{}: </span>{}</span>',
        kind,
        AuthorKind(kind).label,
        name,
    )


@register.filter
def in_plural(kind: str) -> str:
    """All authors of a kind."""
    return {AuthorKind.PERSON: _("people"), AuthorKind.AGENT: _("agents")}.get(
        AuthorKind(kind), _("maintenance")
    )


@register.simple_tag
def unfinished_embedding(wiki: Wiki) -> Progress | None:
    return find_unfinished(wiki)


@register.simple_tag
def max_picture_bytes() -> int:
    return MAX_PICTURE_BYTES


@register.filter
def draw_parts(parts: Iterable[Part]) -> SafeString:
    drawn = (
        (format_html("<mark>{}</mark>", part.text) if part.is_marked else part.text,)
        for part in parts
    )
    return format_html_join("", "{}", drawn)


@register.filter
def mark(text: str, query: str) -> SafeString:
    """The text, escaped, with the words of the query marked."""
    return draw_parts(Matcher(query).mark(text))


@register.filter
def in_code(text: str) -> SafeString:
    """Escape the text and set `backticks` as code."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "",
        "{}",
        ((format_html("<code>{}</code>", part) if at % 2 else part,) for at, part in parts),
    )


@register.filter
def in_words(similarity: float) -> str:
    return describe_similarity(similarity)


@register.filter
def percent(similarity: float) -> str:
    """A whole number for the width of a bar."""
    return str(round(min(max(similarity, 0.0), 1.0) * 100))


@register.filter
def type_label(type: str) -> str:
    return PageType.label_of(type)


@register.filter
def sign_path(type: str) -> str:
    return ICON_PATHS[type or NO_TYPE]


@register.simple_tag
def sign(type: str) -> SafeString:
    """The sign of a type, as it stands on the map."""
    drawn = (
        '<svg class="sign of-{}" viewBox="-1.4 -1.4 2.8 2.8" aria-hidden="true"><path '
        'd="{}"/></svg>'
    )
    return format_html(drawn, type or NO_TYPE, sign_path(type))


@register.filter
def telling(differences: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The first two differences; titles stand beside them and count only if nothing else
    differs."""
    others = [difference for difference in differences if difference[0] != DifferenceKind.TITLE]
    return list(others or differences)[:2]
