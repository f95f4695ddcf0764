from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wiki', '0020_index_terms'),
    ]

    operations = [
        migrations.CreateModel(
            name='Calibration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(max_length=200, unique=True)),
                ('recipe', models.CharField(blank=True, max_length=16)),
                ('apart', models.FloatField(null=True)),
                ('together', models.FloatField(null=True)),
                ('advised', models.FloatField(null=True)),
                ('share', models.FloatField(null=True)),
                ('measured_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('advised__isnull', False), ('apart__isnull', False), ('measured_at__isnull', False), ('share__isnull', False), ('together__isnull', False)), models.Q(('advised__isnull', True), ('apart__isnull', True), ('measured_at__isnull', True), ('share__isnull', True), ('together__isnull', True)), _connector='OR'), name='a_calibration_has_all_figures_or_none')],
            },
        ),
    ]
