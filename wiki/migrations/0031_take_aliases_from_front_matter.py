"""Aliases that came with a file were kept as lines of its front matter; now they are a field."""

from django.db import migrations

from wiki.files.front_matter import read_head
from wiki.pages.fields import MAX_ALIASES, fold_aliases
from wiki.text.slugs import fold_slug, slugify


def take(apps, schema_editor):
    Page, Revision = (apps.get_model("wiki", name) for name in ("Page", "Revision"))
    named = Page.objects.filter(front_matter__regex=r"(^|\n)[\"']?alias(es)?[\"']?\s*:")
    for page in named.only("title", "folds", "front_matter", "aliases").iterator(chunk_size=200):
        head = read_head(page.front_matter)
        aliases = fold_aliases(head.aliases or [], page.title)[:MAX_ALIASES]
        if any(len(alias) > 200 for alias in aliases):
            continue
        folds = {fold for alias in aliases for fold in fold_slug(slugify(alias))}
        Page.objects.filter(pk=page.pk).update(
            aliases=aliases, front_matter=head.extra, folds=sorted({*page.folds, *folds})
        )
        # An unchanged file is known by its last import.
        Revision.objects.filter(page=page.pk).update(aliases=aliases)


class Migration(migrations.Migration):
    dependencies = [("wiki", "0030_add_aliases")]
    operations = [migrations.RunPython(take, migrations.RunPython.noop)]
