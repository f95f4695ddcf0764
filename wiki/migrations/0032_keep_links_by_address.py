from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wiki', '0031_take_aliases_from_front_matter'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='link',
            name='link_target_unique',
        ),
        migrations.AddField(
            model_name='link',
            name='is_address',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='link',
            name='is_ambiguous',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='page',
            name='links_recipe',
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='redirect',
            name='title',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AlterField(
            model_name='link',
            name='target_text',
            field=models.CharField(max_length=600),
        ),
        migrations.AddConstraint(
            model_name='link',
            constraint=models.UniqueConstraint(fields=('from_page', 'target_text', 'is_address'), name='link_target_unique'),
        ),
        migrations.AddConstraint(
            model_name='link',
            constraint=models.CheckConstraint(condition=models.Q(('is_ambiguous', False), ('resolved_page', None), _connector='OR'), name='link_ambiguous_has_no_page'),
        ),
    ]
