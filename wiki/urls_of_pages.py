from django.conf import settings
from django.urls import reverse

from wiki.models import Page


def page_path(wiki_slug: str, slug: str) -> str:
    return reverse("page", args=[wiki_slug, slug])


def page_url(page: Page) -> str:
    """The page's address as people use it, for answers that leave the site."""
    return settings.COVEY_PUBLIC_URL + page_path(page.wiki.slug, page.slug)
