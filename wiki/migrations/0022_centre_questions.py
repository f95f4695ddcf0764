import django.db.models.deletion
import pgvector.django.vector
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wiki', '0021_calibrate_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='Centre',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(editable=False, max_length=200)),
                ('questions', models.FloatField(editable=False)),
                ('question_mean', pgvector.django.vector.VectorField(dimensions=256, editable=False)),
                ('pages', models.IntegerField(editable=False)),
                ('page_mean', pgvector.django.vector.VectorField(dimensions=256, editable=False, null=True)),
                ('wiki', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='wiki.wiki')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('wiki', 'fingerprint'), name='centre_unique')],
            },
        ),
    ]
