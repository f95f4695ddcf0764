"""The content of a page: cleaned, folded, within its limits."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.utils.translation import gettext

from wiki.markdown import find_wikilinks
from wiki.models import MAX_TAG, PageType
from wiki.text.cleaning import MAX_TITLE, clean_line, clean_text, clean_title, is_visible
from wiki.text.slugs import title_key

MAX_BODY_BYTES = 256 * 1024
MAX_TAGS = 100
MAX_ALIASES = 50
MAX_LINKS = 1000


class InvalidPage(Exception):
    """The content cannot become a page. `errors` has a sentence by field."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


@dataclass(frozen=True)
class PageFields:
    title: str
    body: str
    type: str
    tags: list[str]
    aliases: list[str] = field(default_factory=list)

    @classmethod
    def clean(
        cls,
        title: str,
        body: str,
        type: str = "",
        tags: Iterable[str] = (),
        aliases: Iterable[str] = (),
    ) -> "PageFields":
        """Raises InvalidPage with a sentence for every field that is over its limit."""
        title = clean_title(title)
        fields = cls(
            title,
            clean_text(body),
            clean_type(type),
            fold_tags(tags),
            fold_aliases(aliases, title),
        )
        if errors := fields._errors():
            raise InvalidPage(errors)
        return fields

    def _errors(self) -> dict[str, str]:
        errors = {}
        if not is_visible(self.title):
            errors["title"] = gettext("A page needs a title.")
        if len(self.title) > MAX_TITLE:
            errors["title"] = gettext(
                "A title has at most {limit} characters; this one has {count}."
            ).format(limit=MAX_TITLE, count=len(self.title))
        size = len(self.body.encode())
        if size > MAX_BODY_BYTES:
            errors["body"] = gettext(
                "A page has at most 256 KiB of text; this one has {size}. Split it into several "
                "pages."
            ).format(size=size // 1024 + 1)
        elif (links := len({link.name for link in find_wikilinks(self.body)})) > MAX_LINKS:
            errors["body"] = gettext(
                "A page has at most {limit} links to other pages; this one has {count}."
            ).format(limit=MAX_LINKS, count=links)
        if len(self.tags) > MAX_TAGS:
            errors["tags"] = gettext(
                "A page has at most {limit} tags; this one has {count}."
            ).format(limit=MAX_TAGS, count=len(self.tags))
        elif any(len(tag) > MAX_TAG for tag in self.tags):
            errors["tags"] = gettext("A tag has at most {limit} characters.").format(limit=MAX_TAG)
        if len(self.aliases) > MAX_ALIASES:
            errors["aliases"] = gettext(
                "A page has at most {limit} aliases; this one has {count}."
            ).format(limit=MAX_ALIASES, count=len(self.aliases))
        elif any(len(alias) > MAX_TITLE for alias in self.aliases):
            errors["aliases"] = gettext("An alias has at most {limit} characters.").format(
                limit=MAX_TITLE
            )
        return errors


def fold_tags(tags: Iterable[str]) -> list[str]:
    """Tags folded by case and blanks, without the sign that others write before them, each once, in
    their order."""
    folded = (clean_line(tag).lower().lstrip("#").strip() for tag in tags)
    return list(dict.fromkeys(filter(None, folded)))


def fold_aliases(aliases: Iterable[str], title: str) -> list[str]:
    """Further names as they were written, each once, in their order, without the title."""
    named = {title_key(title)}
    kept = []
    for alias in map(clean_title, aliases):
        if is_visible(alias) and (key := title_key(alias)) not in named:
            named.add(key)
            kept.append(alias)
    return kept


_TYPE_WORDS = {
    PageType.CUSTOMER: "customers client clients kunde kunden account accounts",
    PageType.PROJECT: "projects projekt projekte",
    PageType.SYSTEM: "systems systeme service services dienst dienste component komponente",
    PageType.PERSON: "persons people personen role rolle team teams mensch menschen",
    PageType.PROBLEM: "problems probleme issue issues incident incidents bug bugs störung "
    "störungen fehler runbook",
    PageType.TOPIC: "topics thema themen concept concepts konzept note notes notiz notizen",
}
_TYPES = {
    word: type for type, words in _TYPE_WORDS.items() for word in [type.value, *words.split()]
}


def clean_type(text: str) -> str:
    """The page type that a word means, German and common synonyms included; empty stays empty.
    Raises InvalidPage."""
    word = clean_line(text).lower()
    if not word:
        return ""
    if word in _TYPES:
        return _TYPES[word].value
    refusal = gettext("There is no page type “{word}”. Use one of: {types}, or none.")
    raise InvalidPage({"type": refusal.format(word=word[:50], types=", ".join(PageType.values))})
