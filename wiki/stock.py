"""What there is to embed, all wikis together."""

from django.db.models.functions import Least, Length

from embeddings.text import MAX_CHARACTERS
from wiki.models import Page


def embedded_lengths() -> list[int]:
    """For every live page, how many of its characters go to the provider."""
    length = Least(Length("title") + Length("body") + 1, MAX_CHARACTERS)
    return list(Page.objects.live().order_by().values_list(length, flat=True))
