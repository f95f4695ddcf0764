"""The vectors of all pages once more, close together."""

from django.db import models
from pgvector.django import VectorField

from embeddings.vectors import DIMENSIONS, MAX_FINGERPRINT
from wiki.models.pages import Page
from wiki.models.wikis import Wiki


class PageVector(models.Model):
    """A narrow copy of the vectors of live pages, for the nearest neighbours. In the table of pages
    the texts between the vectors make half of the search's time. Triggers of the database maintain
    it (covey_keep_vector, migration 0014)."""

    page = models.OneToOneField(
        Page,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="+",
        editable=False,
    )
    wiki = models.ForeignKey(
        Wiki,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
        editable=False,
    )
    embed_model = models.CharField(max_length=MAX_FINGERPRINT, editable=False)
    embedding = VectorField(dimensions=DIMENSIONS, editable=False)

    class Meta:
        indexes = [models.Index(fields=["wiki", "embed_model"], name="page_vector_wiki_model")]

    def __str__(self) -> str:
        return f"{self.page_id} by {self.embed_model}"
