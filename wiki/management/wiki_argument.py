from django.core.management.base import CommandError

from wiki.models import Wiki


def find_wiki_named(slug: str) -> Wiki:
    """Raises CommandError with the names of the existing wikis."""
    wiki = Wiki.objects.filter(slug=slug).first()
    if wiki is None:
        known = ", ".join(Wiki.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no wiki “{slug}”. Wikis: {known}.")
    return wiki
