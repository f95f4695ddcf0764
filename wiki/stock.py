"""What there is to embed, all wikis together."""

from django.db.models import QuerySet
from django.db.models.functions import Least, Length

from embeddings.text import MAX_CHARACTERS
from wiki.models import Page


def embedded_lengths(pages: QuerySet[Page] | None = None) -> list[int]:
    """For every live page, or each of these, how many of its characters go to the provider."""
    length = Least(Length("title") + Length("body") + 1, MAX_CHARACTERS)
    pages = Page.objects.live() if pages is None else pages
    return list(pages.order_by().values_list(length, flat=True))
