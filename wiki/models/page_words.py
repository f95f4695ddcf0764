"""The words of pages, for ranking by BM25 (wiki/indexing/words.py, wiki/search/word_search.py)."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Func
from pgvector.django import SparseVectorField

from wiki.models.pages import Page
from wiki.models.wikis import Wiki

# Places of a sparse vector; a term's place is a hash of it.
MAX_PLACES = 1_000_000_000
# "17:neustart": the index leads to the pages of one wiki alone, however many the others have.
MAX_LEXEME = 100


class IndexedText(models.Model):
    """What a text is found by: its lexemes, and their BM25 weights by the place of each term."""

    lexemes = SearchVectorField(null=True, editable=False)
    weights = SparseVectorField(dimensions=MAX_PLACES, null=True, editable=False)
    # By which rules the text was read, 0 where it was not; another one has it read again.
    recipe = models.PositiveSmallIntegerField(default=0, editable=False)

    class Meta:
        abstract = True


class PageWords(IndexedText):
    """One row a page, also of those in the trash. Triggers of the database maintain `is_live`, and
    count the terms of live pages (migration 0020)."""

    page = models.OneToOneField(
        Page,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="words",
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
    # Words of the page, each of the title counted as often as it weighs.
    length = models.FloatField(editable=False)
    is_live = models.BooleanField(editable=False)

    class Meta:
        indexes = [GinIndex(fields=["lexemes"], fastupdate=False, name="page_words_lexemes")]

    def __str__(self) -> str:
        return str(self.page_id)


class Term(models.Model):
    """On how many live pages of a wiki a term stands. Stop words are not counted."""

    lexeme = models.CharField(
        max_length=MAX_LEXEME, primary_key=True, db_collation="C", editable=False
    )
    pages = models.IntegerField(editable=False)
    # Of a long word the beginnings of words that it may be made of: "datenbankserver", "server".
    ends = models.GeneratedField(
        expression=Func(F("lexeme"), function="covey_word_ends"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    class Meta:
        indexes = [GinIndex(fields=["ends"], fastupdate=False, name="term_ends")]

    def __str__(self) -> str:
        return self.lexeme
