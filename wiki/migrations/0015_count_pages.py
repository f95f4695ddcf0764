import django.db.models.deletion
from django.db import migrations, models

# A statement that writes many pages counts them once. Whoever adds a page or takes one away has locked its wiki
# (locks.py), so that nobody waits for a row of this table while holding a page.
COUNT = """
CREATE FUNCTION covey_count_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO wiki_pagecount AS kept (wiki_id, pages)
    SELECT wiki_id, count(*) FROM added WHERE trashed_at IS NULL GROUP BY wiki_id ORDER BY wiki_id
    ON CONFLICT (wiki_id) DO UPDATE SET pages = kept.pages + EXCLUDED.pages;
  ELSE
    UPDATE wiki_pagecount AS kept SET pages = kept.pages - gone.pages
    FROM (SELECT wiki_id, count(*) AS pages FROM removed WHERE trashed_at IS NULL GROUP BY wiki_id) AS gone
    WHERE kept.wiki_id = gone.wiki_id;
  END IF;
  RETURN NULL;
END $$
"""
# In the trash, back from there, or in another wiki.
RECOUNT = """
CREATE FUNCTION covey_recount_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.trashed_at IS NULL THEN
    UPDATE wiki_pagecount SET pages = pages - 1 WHERE wiki_id = OLD.wiki_id;
  END IF;
  IF NEW.trashed_at IS NULL THEN
    INSERT INTO wiki_pagecount AS kept (wiki_id, pages) VALUES (NEW.wiki_id, 1)
    ON CONFLICT (wiki_id) DO UPDATE SET pages = kept.pages + 1;
  END IF;
  RETURN NULL;
END $$
"""
TRIGGERS = """
CREATE TRIGGER count_added AFTER INSERT ON wiki_page REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION covey_count_pages();
CREATE TRIGGER count_removed AFTER DELETE ON wiki_page REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION covey_count_pages();
CREATE TRIGGER recount AFTER UPDATE OF trashed_at, wiki_id ON wiki_page
FOR EACH ROW WHEN ((OLD.trashed_at IS NULL) <> (NEW.trashed_at IS NULL) OR OLD.wiki_id <> NEW.wiki_id)
EXECUTE FUNCTION covey_recount_page();
"""
NO_TRIGGERS = """
DROP TRIGGER count_added ON wiki_page;
DROP TRIGGER count_removed ON wiki_page;
DROP TRIGGER recount ON wiki_page;
"""
FILL = """
INSERT INTO wiki_pagecount (wiki_id, pages)
SELECT wiki_id, count(*) FROM wiki_page WHERE trashed_at IS NULL GROUP BY wiki_id
"""


class Migration(migrations.Migration):
    dependencies = [("wiki", "0014_keep_vectors_close")]
    operations = [
        migrations.CreateModel(
            name="PageCount",
            fields=[
                (
                    "wiki",
                    models.OneToOneField(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="wiki.wiki",
                    ),
                ),
                ("pages", models.IntegerField(editable=False)),
            ],
        ),
        migrations.RunSQL(COUNT, "DROP FUNCTION covey_count_pages()"),
        migrations.RunSQL(RECOUNT, "DROP FUNCTION covey_recount_page()"),
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
