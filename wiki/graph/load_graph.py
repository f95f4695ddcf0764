"""Which pages and links a map of a wiki shows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, F, Q, QuerySet

from embeddings.client import active_fingerprint
from wiki.models import Link, Page, PageQuerySet, Wiki
from wiki.pages.listing import NO_TYPE, of_type
from wiki.pages.page_templates import template_keys
from wiki.search.all_pairs import NearPair, find_near_pairs, read_vectors
from wiki.search.thresholds import related_from

# More names are unreadable in one drawing.
MAX_NODES = 150
MAX_EDGES = 1_500
# In a wiki with more pages only those in the drawing are compared.
COMPARED = 2_000


@dataclass(frozen=True)
class Node:
    page_id: int
    slug: str
    title: str
    type: str
    # Pages that link to it.
    links: int


@dataclass(frozen=True)
class Graph:
    """At most MAX_NODES nodes, and edges between their positions.

    `linked` of `total` pages of the wiki have a link to or from another.
    """

    nodes: list[Node]
    links: list[tuple[int, int]]
    similar: list[tuple[int, int]] = field(default_factory=list)
    linked: int = 0
    total: int = 0

    @property
    def unlinked(self) -> int:
        return self.total - self.linked

    def targets(self) -> list[list[Node]]:
        """Return for each node those it links to."""
        found: list[list[Node]] = [[] for _ in self.nodes]
        for a, b in self.links:
            found[a].append(self.nodes[b])
        return found


def collect_graph(wiki: Wiki, type: str = "", *, with_similar: bool = False) -> Graph:
    """Collect the most linked pages, of one type or of all, and the links among them."""
    texts = Page.objects.live().exclude(title_key__in=template_keys())
    pages = of_type(texts.filter(wiki=wiki), type)
    links = _links(wiki, type)
    incoming = _count(links, "resolved_page", "from_page")
    chosen = dict.fromkeys(incoming)
    if len(chosen) < MAX_NODES:
        chosen |= dict.fromkeys(_count(links, "from_page", "resolved_page"))
    near = _find_similar(pages, list(chosen)[:MAX_NODES]) if with_similar else []
    chosen |= dict.fromkeys(page_id for pair in near for page_id in pair[:2])
    has_link = Q(pk__in=links.values("from_page")) | Q(pk__in=links.values("resolved_page"))
    totals = pages.aggregate(total=Count("pk"), linked=Count("pk", filter=has_link))
    return make_graph(list(chosen)[:MAX_NODES], incoming, links, near, **totals)


def _links(wiki: Wiki, type: str) -> QuerySet[Link]:
    """Return the links between two live pages, both of this type if one is given."""
    links = Link.objects.live().order_by().filter(from_page__wiki=wiki)
    links = links.filter(resolved_page__isnull=False, resolved_page__trashed_at=None)
    links = links.exclude(from_page__title_key__in=template_keys())
    links = links.exclude(resolved_page__title_key__in=template_keys())
    if type:
        wanted = "" if type == NO_TYPE else type
        links = links.filter(from_page__type=wanted, resolved_page__type=wanted)
    return links.exclude(resolved_page=F("from_page"))


def make_graph(
    chosen: Sequence[int],
    incoming: dict[int, int],
    links: QuerySet[Link],
    near: Iterable[NearPair] = (),
    **totals: int,
) -> Graph:
    """Build the graph of the chosen pages, in this order, and the edges among them."""
    pages = Page.objects.live().only("slug", "title", "type").in_bulk(chosen)
    nodes = [
        Node(page.pk, page.slug, page.title, page.type, incoming.get(page.pk, 0))
        for page_id in chosen
        if (page := pages.get(page_id))
    ]
    place = {node.page_id: number for number, node in enumerate(nodes)}
    among = links.filter(from_page__in=place, resolved_page__in=place).order_by(
        "from_page", "resolved_page"
    )
    pairs = among.values_list("from_page", "resolved_page").distinct()[:MAX_EDGES]
    lines = [(place[a], place[b]) for a, b in pairs]
    known = {frozenset(line) for line in lines}
    similar = [(place[a], place[b]) for a, b, _ in near if a in place and b in place]
    return Graph(nodes, lines, [line for line in similar if frozenset(line) not in known], **totals)


def _count(links: QuerySet[Link], page: str, others: str) -> dict[int, int]:
    """Count the pages at the other end of the links, for the pages with most of them."""
    counted = links.values_list(page).annotate(n=Count(others, distinct=True)).order_by("-n", page)
    return dict(counted[:MAX_NODES])


def _find_similar(pages: PageQuerySet, chosen: Sequence[int]) -> list[NearPair]:
    comparable = pages.comparable(active_fingerprint())
    if comparable.count() > COMPARED:
        comparable = comparable.filter(pk__in=chosen)
    return find_near_pairs(*read_vectors(comparable), related_from(), 2 * MAX_NODES).pairs
