from django.db import migrations

# "migração" is indexed as "migracao" too, and an accent that is a sign of its own like one that is not.
# The forms of a text without accents are its words once more, so only a text that has some is read again.
SEARCH_VECTOR = r"""
CREATE OR REPLACE FUNCTION covey_search_vector(title text, tags text[], body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  named text := normalize(title, NFC);
  said text := normalize(body, NFC);
  plain_name text := regexp_replace(normalize(title, NFD), '[\u0300-\u036f]', '', 'g');
  plain text := regexp_replace(normalize(body, NFD), '[\u0300-\u036f]', '', 'g');
  found tsvector;
BEGIN
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
EARLIER = """
CREATE OR REPLACE FUNCTION covey_search_vector(title text, tags text[], body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN setweight(to_tsvector('pg_catalog.german', title) || to_tsvector('pg_catalog.english', title), 'A')
    || setweight(to_tsvector('pg_catalog.simple', array_to_string(tags, ' ')), 'B')
    || to_tsvector('pg_catalog.german', body) || to_tsvector('pg_catalog.english', body);
EXCEPTION WHEN program_limit_exceeded THEN
  RETURN covey_search_vector(title, tags, left(body, length(body) / 2));
END $$
"""
# Only what has an accent is indexed otherwise now.
AGAIN = r"UPDATE wiki_page SET title = title WHERE title || body ~ '[^ -~\s]'"


class Migration(migrations.Migration):
    dependencies = [("wiki", "0010_keep_what_was_removed")]
    operations = [
        migrations.RunSQL(SEARCH_VECTOR, EARLIER),
        migrations.RunSQL(AGAIN, AGAIN),
    ]
