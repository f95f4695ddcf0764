import django.db.models.deletion
import django.db.models.lookups
import pgvector.django.vector
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wiki', '0023_keep_the_model_of_failures'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeptVector',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(db_index=True, max_length=200)),
                ('text_hash', models.CharField(max_length=64)),
                ('embedding', pgvector.django.vector.VectorField(dimensions=256)),
                ('page', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='wiki.page')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('page', 'fingerprint', 'text_hash'), name='kept_vector_unique'), models.CheckConstraint(condition=django.db.models.lookups.GreaterThan(models.Func('embedding', function='vector_norm', output_field=models.FloatField()), 0.0), name='kept_vector_not_zero')],
            },
        ),
    ]
