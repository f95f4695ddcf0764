from django.db import migrations, models
from django.db.models import F, Func

# A hyphen before each word. The folded forms end at 96 characters, the title does not.
# Computed while somebody types it took 20 to 40 ms at 10,000 pages; read from a column it takes 2 to 7.
PAGE_NAMES = """
CREATE FUNCTION covey_page_names(folds text[], title_key text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '-' || array_to_string(folds, '-') || '-' || translate(
    translate(title_key, 'äáàâãåæçéèêëíìîïñöóòôõøúùûüýÿžšč', 'aaaaaaaceeeeiiiinoooooouuuuyyzsc'), ' /.:("„“-', '---------'
  )
$$
"""


class Migration(migrations.Migration):
    dependencies = [("wiki", "0004_keep_everybody_in")]
    operations = [
        migrations.RunSQL(PAGE_NAMES, "DROP FUNCTION covey_page_names(text[], text)"),
        migrations.AddField(
            "page",
            "names",
            models.GeneratedField(
                expression=Func(F("folds"), F("title_key"), function="covey_page_names"),
                output_field=models.TextField(),
                db_persist=True,
            ),
        ),
    ]
