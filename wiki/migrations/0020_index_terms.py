import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import pgvector.django.sparsevec
from django.conf import settings
from django.db import migrations, models


# A word may be made of others: from which letter on it is looked for within. Names with signs or
# digits are indexed by their parts.
WORD_ENDS = r"""
CREATE FUNCTION covey_word_ends(lexeme text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN length(word) >= 8 AND word !~ '[0-9 !-/:-@[-`{-~]'
    THEN array_to_tsvector(ARRAY(
      SELECT wiki || ':' || substr(word, place)
      FROM generate_series(1, length(word) - 4) AS place WHERE place = 1 OR place > 3
    )) END
  FROM (SELECT split_part(lexeme, ':', 1), substr(lexeme, strpos(lexeme, ':') + 1)) AS parts (wiki, word)
$$
"""
# One statement counts what all its rows gain and lose, in the order of the terms, so that two
# writers wait for each other instead of for ever. Stop words stand on every page.
COUNT_TERMS = r"""
CREATE FUNCTION covey_count_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO wiki_term AS kept (lexeme, pages)
    SELECT lexeme, count(*) FROM added, unnest(tsvector_to_array(lexemes)) AS lexeme
    WHERE is_live AND lexeme !~ '^\d+:_' GROUP BY lexeme ORDER BY lexeme
    ON CONFLICT (lexeme) DO UPDATE SET pages = kept.pages + EXCLUDED.pages;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE wiki_term AS kept SET pages = kept.pages - gone.pages
    FROM (
      SELECT lexeme, count(*) AS pages FROM removed, unnest(tsvector_to_array(lexemes)) AS lexeme
      WHERE is_live GROUP BY lexeme
    ) AS gone
    WHERE kept.lexeme = gone.lexeme;
  ELSE
    INSERT INTO wiki_term AS kept (lexeme, pages)
    SELECT lexeme, sum(pages) FROM (
      SELECT unnest(tsvector_to_array(
        CASE WHEN NOT removed.is_live THEN added.lexemes
        ELSE ts_delete(added.lexemes, tsvector_to_array(removed.lexemes)) END
      )), 1
      FROM added JOIN removed USING (page_id) WHERE added.is_live
      UNION ALL
      SELECT unnest(tsvector_to_array(
        CASE WHEN NOT added.is_live THEN removed.lexemes
        ELSE ts_delete(removed.lexemes, tsvector_to_array(added.lexemes)) END
      )), -1
      FROM added JOIN removed USING (page_id) WHERE removed.is_live
    ) AS changed (lexeme, pages)
    WHERE lexeme !~ '^\d+:_' GROUP BY lexeme HAVING sum(pages) <> 0 ORDER BY lexeme
    ON CONFLICT (lexeme) DO UPDATE SET pages = kept.pages + EXCLUDED.pages;
  END IF;
  RETURN NULL;
END $$
"""
COUNT_TRIGGERS = """
CREATE TRIGGER count_terms_added AFTER INSERT ON wiki_pagewords REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION covey_count_terms();
CREATE TRIGGER count_terms_removed AFTER DELETE ON wiki_pagewords REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION covey_count_terms();
CREATE TRIGGER count_terms_changed AFTER UPDATE ON wiki_pagewords
REFERENCING NEW TABLE AS added OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION covey_count_terms();
"""
# In the trash, back from there, or gone for ever.
FOLLOW_PAGE = """
CREATE FUNCTION covey_keep_words_live() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM wiki_pagewords WHERE page_id = OLD.id;
  ELSE
    UPDATE wiki_pagewords SET is_live = NEW.trashed_at IS NULL WHERE page_id = NEW.id;
  END IF;
  RETURN NULL;
END $$
"""
FOLLOW_TRIGGERS = """
CREATE TRIGGER remove_words AFTER DELETE ON wiki_page
FOR EACH ROW EXECUTE FUNCTION covey_keep_words_live();
CREATE TRIGGER keep_words_live AFTER UPDATE OF trashed_at ON wiki_page
FOR EACH ROW WHEN ((OLD.trashed_at IS NULL) <> (NEW.trashed_at IS NULL))
EXECUTE FUNCTION covey_keep_words_live();
"""
NO_TEXT_SEARCH = """
DROP TRIGGER keep_search ON wiki_page;
DROP FUNCTION covey_keep_search();
"""
NO_FUNCTIONS = """
DROP FUNCTION covey_search_vector(text, text[], text);
DROP FUNCTION covey_search_query(text);
"""


class Migration(migrations.Migration):
    # The pages are read after all migrations (wiki/apps.py).

    dependencies = [
        ("wiki", "0019_fill_addresses_of_revisions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL(NO_TEXT_SEARCH),
        migrations.RunSQL(WORD_ENDS),
        migrations.CreateModel(
            name="PageWords",
            fields=[
                (
                    "lexemes",
                    django.contrib.postgres.search.SearchVectorField(editable=False, null=True),
                ),
                (
                    "weights",
                    pgvector.django.sparsevec.SparseVectorField(
                        dimensions=1000000000, editable=False, null=True
                    ),
                ),
                (
                    "page",
                    models.OneToOneField(
                        db_constraint=False,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="words",
                        serialize=False,
                        to="wiki.page",
                    ),
                ),
                ("length", models.FloatField(editable=False)),
                ("is_live", models.BooleanField(editable=False)),
                ("recipe", models.PositiveSmallIntegerField(editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="Term",
            fields=[
                (
                    "lexeme",
                    models.CharField(
                        db_collation="C",
                        editable=False,
                        max_length=100,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pages", models.IntegerField(editable=False)),
                (
                    "ends",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func(models.F("lexeme"), function="covey_word_ends"),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
            ],
        ),
        migrations.RemoveIndex(
            model_name="askedas",
            name="asked_as_search",
        ),
        migrations.RemoveIndex(
            model_name="page",
            name="page_search",
        ),
        migrations.RemoveField(
            model_name="askedas",
            name="search",
        ),
        migrations.RemoveField(
            model_name="page",
            name="search",
        ),
        migrations.AddField(
            model_name="askedas",
            name="lexemes",
            field=django.contrib.postgres.search.SearchVectorField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="askedas",
            name="weights",
            field=pgvector.django.sparsevec.SparseVectorField(
                dimensions=1000000000, editable=False, null=True
            ),
        ),
        migrations.AddIndex(
            model_name="askedas",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["lexemes"], name="asked_as_lexemes"
            ),
        ),
        migrations.AddField(
            model_name="pagewords",
            name="wiki",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="wiki.wiki",
            ),
        ),
        migrations.AddIndex(
            model_name="term",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["ends"], name="term_ends"
            ),
        ),
        migrations.AddIndex(
            model_name="pagewords",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["lexemes"], name="page_words_lexemes"
            ),
        ),
        migrations.RunSQL(NO_FUNCTIONS),
        migrations.RunSQL(COUNT_TERMS),
        migrations.RunSQL(COUNT_TRIGGERS),
        migrations.RunSQL(FOLLOW_PAGE),
        migrations.RunSQL(FOLLOW_TRIGGERS),
    ]
