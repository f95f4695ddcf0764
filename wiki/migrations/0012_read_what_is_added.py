import django.contrib.postgres.search
from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models

# As before, but a text of nothing but ASCII, which has no accents, is not searched for them.
SEARCH_VECTOR = r"""
CREATE OR REPLACE FUNCTION covey_search_vector(title text, tags text[], body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  named text := title;
  said text := body;
  plain_name text := title;
  plain text := body;
  found tsvector;
BEGIN
  IF octet_length(title) > length(title) THEN
    named := normalize(title, NFC);
    plain_name := regexp_replace(normalize(title, NFD), '[\u0300-\u036f]', '', 'g');
  END IF;
  IF octet_length(body) > length(body) THEN
    said := normalize(body, NFC);
    plain := regexp_replace(normalize(body, NFD), '[\u0300-\u036f]', '', 'g');
  END IF;
  found := setweight(to_tsvector('pg_catalog.german', named) || to_tsvector('pg_catalog.english', named), 'A')
    || setweight(to_tsvector('pg_catalog.simple', array_to_string(tags, ' ')), 'B')
    || to_tsvector('pg_catalog.german', said) || to_tsvector('pg_catalog.english', said);
  IF plain_name <> named THEN
    found := found || setweight(to_tsvector('pg_catalog.english', plain_name), 'A');
  END IF;
  IF plain <> said THEN
    found := found || to_tsvector('pg_catalog.english', plain);
  END IF;
  RETURN found;
EXCEPTION WHEN program_limit_exceeded THEN
  RETURN covey_search_vector(title, tags, left(body, length(body) / 2));
END $$
"""

# What begins on a line of its own reads the same alone as behind the text that stands before it. To have a page read
# anew after a change of the function above: SET search = NULL.
KEEP_SEARCH = r"""
CREATE FUNCTION covey_keep_search() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added text;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.search IS NOT NULL AND NEW.title = OLD.title AND NEW.tags = OLD.tags THEN
    IF NEW.body = OLD.body THEN
      RETURN NEW;
    END IF;
    IF OLD.body <> '' AND starts_with(NEW.body, OLD.body) THEN
      added := substr(NEW.body, length(OLD.body) + 1);
      IF starts_with(added, E'\n') OR right(OLD.body, 1) = E'\n' THEN
        BEGIN
          NEW.search := OLD.search || covey_search_vector('', '{}', added);
          RETURN NEW;
        EXCEPTION WHEN program_limit_exceeded THEN
          NULL;
        END;
      END IF;
    END IF;
  END IF;
  NEW.search := covey_search_vector(NEW.title, NEW.tags, NEW.body);
  RETURN NEW;
END $$
"""
TRIGGER = """
CREATE TRIGGER keep_search BEFORE INSERT OR UPDATE OF title, tags, body, search ON wiki_page
FOR EACH ROW EXECUTE FUNCTION covey_keep_search()
"""
GENERATED = """
ALTER TABLE wiki_page DROP COLUMN search;
ALTER TABLE wiki_page ADD COLUMN search tsvector GENERATED ALWAYS AS (covey_search_vector(title, tags, body)) STORED;
CREATE INDEX page_search ON wiki_page USING gin (search);
"""

# What is written goes into the index at once. Gathered for later, as is the default, each search reads through what was
# written since; a filing in the midst of others took half as long again.
INDEXES = {
    ("page", "page_search"): "search",
    ("page", "page_folds"): "folds",
    ("link", "link_target_folds"): "target_folds",
    ("askedas", "asked_as_search"): "search",
}


def at_once(model: str, index: str, column: str) -> migrations.SeparateDatabaseAndState:
    return migrations.SeparateDatabaseAndState(
        database_operations=[
            migrations.RunSQL(
                f"ALTER INDEX {index} SET (fastupdate = off); SELECT gin_clean_pending_list('{index}')",
                f"ALTER INDEX {index} RESET (fastupdate)",
            )
        ],
        state_operations=[
            migrations.RemoveIndex(model, index),
            migrations.AddIndex(model, GinIndex(fields=[column], fastupdate=False, name=index)),
        ],
    )


class Migration(migrations.Migration):
    dependencies = [("wiki", "0011_find_words_without_accents")]
    operations = [
        migrations.RunSQL(SEARCH_VECTOR, migrations.RunSQL.noop),
        migrations.RunSQL("ALTER TABLE wiki_page ALTER COLUMN search DROP EXPRESSION", GENERATED),
        migrations.RunSQL(KEEP_SEARCH, "DROP FUNCTION covey_keep_search()"),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER keep_search ON wiki_page"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "page",
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func(
                            models.F("title"), models.F("tags"), models.F("body"), function="covey_search_vector"
                        ),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                )
            ]
        ),
        *(at_once(model, index, column) for (model, index), column in INDEXES.items()),
    ]
