from django.conf import settings

from wiki.models import Page


def page_url(page: Page) -> str:
    """The page's address as people use it, for answers that leave the site."""
    return settings.COVEY_PUBLIC_URL + page.get_absolute_url()
