from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wiki", "0050_check_wiki_addresses")]

    operations = [
        migrations.AddField(
            "askedas", "recipe", models.PositiveSmallIntegerField(default=0, editable=False)
        ),
        migrations.AlterField(
            "pagewords", "recipe", models.PositiveSmallIntegerField(default=0, editable=False)
        ),
    ]
