"""How many pages each wiki has."""

from django.db import models

from wiki.models.wikis import Wiki


class PageCount(models.Model):
    """The number of live pages of a wiki. Counting ten thousand takes a tenth of a recall's time.
    Triggers of the database maintain it (migration 0015); without pages a wiki has no row."""

    wiki = models.OneToOneField(
        Wiki, on_delete=models.CASCADE, primary_key=True, related_name="+", editable=False
    )
    pages = models.IntegerField(editable=False)

    def __str__(self) -> str:
        return f"{self.wiki_id}: {self.pages}"
