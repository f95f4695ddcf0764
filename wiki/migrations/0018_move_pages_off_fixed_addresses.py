"""These words became addresses of screens after pages could have them. Such a page is called as a
new one of this title would be."""

from itertools import count

from django.db import migrations

WORDS = ("members", "suggestions", "connect")


def move(apps, schema_editor):
    Page, Redirect, Revision = (
        apps.get_model("wiki", name) for name in ("Page", "Redirect", "Revision")
    )
    for page in Page.objects.filter(slug__in=WORDS).only("slug", "wiki", "folds", "trashed_at"):
        former, slug = page.slug, f"{page.slug}-page"
        others = Page.objects.filter(wiki=page.wiki_id, trashed_at=None)
        if page.trashed_at is None:
            numbers = count(2)
            while others.filter(slug=slug).exists():
                slug = f"{former}-page-{next(numbers)}"
            Redirect.objects.update_or_create(
                wiki_id=page.wiki_id, slug=former, defaults={"page_id": page.pk}
            )
        Page.objects.filter(pk=page.pk).update(slug=slug, folds=sorted({*page.folds, slug} - {former}))
        Revision.objects.filter(page=page.pk, slug=former).update(slug=slug)
    # Undoing a rename must not bring the word back.
    for word in WORDS:
        Revision.objects.filter(slug=word).update(slug=f"{word}-page")


class Migration(migrations.Migration):
    dependencies = [("wiki", "0017_fill_status_of_revisions")]
    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
