import django.db.models.deletion
import pgvector.django.vector
from django.db import migrations, models

# Whatever happens to a page, in the same transaction: a search never sees a vector that is not the page's own.
KEEP_VECTOR = """
CREATE FUNCTION covey_keep_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.wiki_id, OLD.embed_model, OLD.embedding, OLD.trashed_at)
      IS NOT DISTINCT FROM (NEW.wiki_id, NEW.embed_model, NEW.embedding, NEW.trashed_at) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' THEN
    DELETE FROM wiki_pagevector WHERE page_id = OLD.id;
  ELSIF NEW.embedding IS NULL OR NEW.trashed_at IS NOT NULL THEN
    DELETE FROM wiki_pagevector WHERE page_id = NEW.id;
  ELSE
    INSERT INTO wiki_pagevector (page_id, wiki_id, embed_model, embedding)
    VALUES (NEW.id, NEW.wiki_id, NEW.embed_model, NEW.embedding)
    ON CONFLICT (page_id) DO UPDATE
    SET wiki_id = EXCLUDED.wiki_id, embed_model = EXCLUDED.embed_model, embedding = EXCLUDED.embedding;
  END IF;
  RETURN NULL;
END $$
"""
TRIGGER = """
CREATE TRIGGER keep_vector AFTER INSERT OR DELETE OR UPDATE OF wiki_id, embed_model, embedding, trashed_at ON wiki_page
FOR EACH ROW EXECUTE FUNCTION covey_keep_vector()
"""
FILL = """
INSERT INTO wiki_pagevector (page_id, wiki_id, embed_model, embedding)
SELECT id, wiki_id, embed_model, embedding FROM wiki_page WHERE embedding IS NOT NULL AND trashed_at IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("wiki", "0013_name_what_the_admin_shows")]
    operations = [
        migrations.CreateModel(
            name="PageVector",
            fields=[
                (
                    "page",
                    models.OneToOneField(
                        db_constraint=False,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="wiki.page",
                    ),
                ),
                (
                    "wiki",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="wiki.wiki",
                    ),
                ),
                ("embed_model", models.CharField(editable=False, max_length=200)),
                ("embedding", pgvector.django.vector.VectorField(dimensions=256, editable=False)),
            ],
            options={
                "indexes": [models.Index(fields=["wiki", "embed_model"], name="page_vector_wiki_model")],
            },
        ),
        migrations.RunSQL(KEEP_VECTOR, "DROP FUNCTION covey_keep_vector()"),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER keep_vector ON wiki_page"),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
