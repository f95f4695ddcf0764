from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wiki', '0022_centre_questions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='askedas',
            name='failed_model',
            field=models.CharField(blank=True, editable=False, max_length=200),
        ),
        migrations.AddField(
            model_name='page',
            name='failed_model',
            field=models.CharField(blank=True, editable=False, max_length=200, verbose_name='failed with'),
        ),
        migrations.AddConstraint(
            model_name='askedas',
            constraint=models.CheckConstraint(condition=models.Q(('failed_model', ''), models.Q(models.Q(('embed_error', ''), _negated=True), ('embedding', None)), _connector='OR'), name='asked_as_failed_has_error_and_no_vector'),
        ),
        migrations.AddConstraint(
            model_name='page',
            constraint=models.CheckConstraint(condition=models.Q(('failed_model', ''), models.Q(models.Q(('embed_error', ''), _negated=True), ('embedding', None)), _connector='OR'), name='page_failed_has_error_and_no_vector'),
        ),
    ]
