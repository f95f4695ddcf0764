from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wiki", "0032_keep_links_by_address")]

    operations = [
        migrations.AddField(
            "askedas", "recipe", models.PositiveSmallIntegerField(default=0, editable=False)
        ),
        migrations.AlterField(
            "pagewords", "recipe", models.PositiveSmallIntegerField(default=0, editable=False)
        ),
    ]
