"""Until now every signed-in person read and edited every wiki, and staff made them: nobody is shut out by the rights."""

from django.conf import settings
from django.db import migrations


def keep_everybody_in(apps, schema_editor):
    Membership = apps.get_model("wiki", "Membership")
    Wiki = apps.get_model("wiki", "Wiki")
    User = apps.get_model(settings.AUTH_USER_MODEL)
    wikis = list(Wiki.objects.values_list("pk", flat=True))
    for user in User.objects.filter(is_superuser=False):
        role = "owner" if user.is_staff else "editor"
        Membership.objects.bulk_create(
            [Membership(wiki_id=wiki, user=user, role=role) for wiki in wikis], ignore_conflicts=True
        )


class Migration(migrations.Migration):
    dependencies = [
        ("wiki", "0003_add_members_marks_and_pictures"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(keep_everybody_in, migrations.RunPython.noop)]
