"""How many pages each wiki has."""

from django.db import models

from wiki.models.wikis import Wiki


class PageCount(models.Model):
    """The live pages of a wiki, which every recall tells: to count ten thousand takes it a tenth of
    its time.

    The database keeps it (migration 0015): nobody writes here. A wiki that never had a page has no
    row.
    """

    wiki = models.OneToOneField(
        Wiki, on_delete=models.CASCADE, primary_key=True, related_name="+", editable=False
    )
    pages = models.IntegerField(editable=False)

    def __str__(self) -> str:
        return f"{self.wiki_id}: {self.pages}"
