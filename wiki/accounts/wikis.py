"""Create a wiki and change its settings."""

from typing import Any

from django.db import transaction

from wiki.models import MAX_DESCRIPTION, Membership, Role, Wiki
from wiki.text.cleaning import MAX_TITLE, clean_line
from wiki.text.slugs import slugify_wiki


class WikiRefused(Exception):
    """There is a wiki of this name, or the name is none. `slug` is the address in question."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"A wiki with the address “{slug}” cannot be made.")
        self.slug = slug


def create_wiki(name: str, description: str = "", owner: Any = None) -> Wiki:
    """Raises WikiRefused."""
    with transaction.atomic():
        wiki, is_new = ensure_wiki(name, description)
        if not is_new:
            raise WikiRefused(wiki.slug)
        if owner is not None:
            Membership.objects.create(wiki=wiki, user=owner, role=Role.OWNER)
    return wiki


def change_wiki(
    wiki: Wiki, *, name: str, description: str, is_public: bool, language: str, merge_mode: str = ""
) -> None:
    """The slug stays: it stands in every address. Raises WikiRefused for an empty name."""
    wiki.name = clean_line(name)[:MAX_TITLE]
    if not wiki.name:
        raise WikiRefused(wiki.slug)
    wiki.description = clean_line(description)[:MAX_DESCRIPTION]
    wiki.is_public, wiki.language, wiki.merge_mode = is_public, language, merge_mode
    wiki.save(update_fields=["name", "description", "is_public", "language", "merge_mode"])


def ensure_wiki(name: str, description: str = "") -> tuple[Wiki, bool]:
    """The wiki of this slug or name, and whether it had to be made. Raises WikiRefused for no
    name."""
    new = {
        "name": clean_line(name)[:MAX_TITLE],
        "description": clean_line(description)[:MAX_DESCRIPTION],
    }
    return Wiki.objects.get_or_create(slug=wiki_slug(name), defaults=new)


def wiki_slug(name: str) -> str:
    """The slug that a wiki of this slug or name has. Raises WikiRefused for no name."""
    name = clean_line(name)[:MAX_TITLE]
    if not name:
        raise WikiRefused("")
    return slugify_wiki(name)
