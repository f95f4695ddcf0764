"""Live pages with the same title: a link by it reaches only one of them."""

from django.db.models import CharField, Count, F, Func
from networkx.utils import UnionFind

from wiki.models import Page, Wiki
from wiki.text.slugs import fold_slug


def find_same_titles(wiki: Wiki) -> list[list[int]]:
    """Return groups of ids that share a title but for case, blanks and accents, by title."""
    pages = Page.objects.live().filter(wiki=wiki)
    fold = Func(F("folds"), function="unnest", output_field=CharField(), set_returning=True)
    folds = pages.order_by().annotate(fold=fold).values("fold")
    shared = folds.annotate(n=Count("pk")).filter(n__gt=1)
    # Folded names have no punctuation, but "C++" is not "C", so the titles are compared again.
    suspects = pages.filter(folds__overlap=list(shared.values_list("fold", flat=True)))
    titles = dict(suspects.order_by("title_key", "id").values_list("pk", "title_key"))
    joined: UnionFind = UnionFind()
    for page_id, title_key in titles.items():
        joined.union(page_id, *fold_slug(title_key))
    groups: dict[int | str, list[int]] = {}
    for page_id in titles:
        groups.setdefault(joined[page_id], []).append(page_id)
    return [group for group in groups.values() if len(group) > 1]
