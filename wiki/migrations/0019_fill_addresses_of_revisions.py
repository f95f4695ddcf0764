from django.db import migrations

# The first revisions do not say the address of their page: nobody could change it then. It is the
# one of the next revision that says one.
FILL = """
UPDATE wiki_revision AS early SET slug = coalesce(
  (SELECT later.slug FROM wiki_revision AS later
   WHERE later.page_id = early.page_id AND later.number > early.number AND later.slug <> ''
     AND later.kind <> 'rename'
   ORDER BY later.number LIMIT 1),
  (SELECT page.slug FROM wiki_page AS page WHERE page.id = early.page_id)
) WHERE early.slug = ''
"""


class Migration(migrations.Migration):
    dependencies = [("wiki", "0018_move_pages_off_fixed_addresses")]
    operations = [migrations.RunSQL(FILL, migrations.RunSQL.noop)]
