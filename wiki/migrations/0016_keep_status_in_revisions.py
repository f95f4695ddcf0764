import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("wiki", "0015_count_pages")]
    operations = [
        migrations.AddField(
            "revision",
            "standing",
            models.CharField(
                blank=True,
                choices=[("", "holds"), ("outdated", "outdated"), ("replaced", "replaced")],
                default="",
                editable=False,
                max_length=10,
                verbose_name="standing",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "revision",
            "replaced_by",
            models.ForeignKey(
                blank=True,
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="wiki.page",
            ),
        ),
        migrations.AddConstraint(
            "revision",
            models.CheckConstraint(
                condition=Q(replaced_by=None) | Q(standing="replaced"),
                name="revision_successor_only_of_replaced",
            ),
        ),
        migrations.AddIndex(
            "revision",
            models.Index(
                fields=["replaced_by"],
                condition=Q(replaced_by__isnull=False),
                name="revision_replaced_by",
            ),
        ),
    ]
