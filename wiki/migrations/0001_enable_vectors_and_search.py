from django.db import migrations
from pgvector.django import VectorExtension

# Both stemmers read every text, since a wiki mixes languages. A tsvector above 1 MiB makes the save fail, so a text
# whose words are too many is indexed by its first half, quarter, …: the page is always saved.
SEARCH_VECTOR = """
CREATE FUNCTION covey_search_vector(title text, tags text[], body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN setweight(to_tsvector('pg_catalog.german', title) || to_tsvector('pg_catalog.english', title), 'A')
    || setweight(to_tsvector('pg_catalog.simple', array_to_string(tags, ' ')), 'B')
    || to_tsvector('pg_catalog.german', body) || to_tsvector('pg_catalog.english', body);
EXCEPTION WHEN program_limit_exceeded THEN
  RETURN covey_search_vector(title, tags, left(body, length(body) / 2));
END $$
"""

# Any of the words may match. A stop word of either language is no word to search for, unless there is nothing else.
SEARCH_QUERY = r"""
CREATE FUNCTION covey_search_query(query text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  WITH words AS (
    SELECT DISTINCT to_tsvector('pg_catalog.german', token) AS german, to_tsvector('pg_catalog.english', token) AS english
    FROM ts_parse('pg_catalog.default', left(query, 8000))
    WHERE length(token) <= 2000
  ), lexemes AS (
    SELECT unnest(tsvector_to_array(german || english)) AS lexeme, german <> '' AND english <> '' AS telling FROM words
  ), chosen AS (
    SELECT DISTINCT lexeme FROM lexemes WHERE telling OR NOT EXISTS (SELECT FROM lexemes WHERE telling)
  )
  SELECT coalesce(string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | '), '')::tsquery FROM chosen
$$
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        VectorExtension(),
        migrations.RunSQL(SEARCH_VECTOR, "DROP FUNCTION covey_search_vector(text, text[], text)"),
        migrations.RunSQL(SEARCH_QUERY, "DROP FUNCTION covey_search_query(text)"),
    ]
