"""The neighbourhood of a page: incoming links left, outgoing right, similar pages below."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, F, Max, Q, QuerySet

from embeddings.client import active_fingerprint
from wiki.graph.load_graph import Graph, Node, make_graph
from wiki.graph.svg import (
    LINE_HEIGHT,
    Drawing,
    DrawnEdge,
    DrawnNode,
    Label,
    draw_line,
    radius_of,
    stack_labels,
    text_width,
    truncate,
    wrap,
)
from wiki.graph.wiki_graph import draw_edges
from wiki.models import Link, Page
from wiki.search.thresholds import reaches, related_from
from wiki.search.vector_search import nearest_pages

# More names are unreadable in one drawing.
NEIGHBOURS_A_SIDE = 18
SIMILAR_SHOWN = 5
# Pixels of a row of neighbours, and of all rows where they fit.
MIN_ROW = 36
MAX_ROW = 56
HEIGHT = 400
# Pixels from the centre to the outermost neighbours, and what the arc adds in the middle.
REACH = 110
BULGE = 100
# Pixels of a name at the side or below, and of a side without neighbours.
SIDE_NAME = 250
BELOW_NAME = 150
BARE_SIDE = 150


@dataclass(frozen=True)
class Side:
    """The drawn pages of one side, and the number of all."""

    nodes: list[Node]
    total: int


@dataclass(frozen=True)
class Neighbourhood:
    incoming: Side
    mutual: Side
    outgoing: Side
    # Not linked; with their similarity.
    similar: list[tuple[Node, float]]
    drawing: Drawing

    @property
    def is_empty(self) -> bool:
        return not (self.incoming.total or self.mutual.total or self.outgoing.total or self.similar)

    @property
    def left_out(self) -> int:
        return sum(
            side.total - len(side.nodes) for side in (self.incoming, self.mutual, self.outgoing)
        )


def find_neighbourhood(page: Page, *, with_similar: bool = False) -> Neighbourhood:
    """Collect and draw the neighbours, those last changed first."""
    links = Link.objects.order_by().exclude(from_page=F("resolved_page"))
    outgoing = links.filter(
        from_page=page, resolved_page__trashed_at=None, resolved_page__isnull=False
    )
    incoming = links.live().filter(resolved_page=page)
    # A page has at most a thousand outgoing links, but any number of incoming ones.
    targets = set(outgoing.values_list("resolved_page", flat=True))
    both = incoming.filter(from_page__in=targets)
    mutual = _latest(both, "from_page")
    only_in = incoming.exclude(from_page__in=targets)
    only_out = outgoing.exclude(resolved_page__in=both.values("from_page"))
    sides = {
        "incoming": _latest(only_in, "from_page"),
        "mutual": mutual,
        "outgoing": _latest(only_out, "resolved_page", NEIGHBOURS_A_SIDE - len(mutual)),
    }
    counted = incoming.aggregate(
        all=Count("from_page", distinct=True),
        mutual=Count("from_page", distinct=True, filter=Q(from_page__in=targets)),
    )
    totals = {
        "incoming": counted["all"] - counted["mutual"],
        "mutual": counted["mutual"],
        "outgoing": len(targets) - counted["mutual"],
    }
    near = _similar(page, incoming, targets) if with_similar else []
    linked = [page_id for ids in sides.values() for page_id in ids]
    chosen = [page.pk, *linked, *(other.pk for other, _ in near)]
    graph = make_graph(chosen, _count_links(chosen), links)
    nodes = {node.page_id: node for node in graph.nodes}
    shown = {
        side: [nodes[page_id] for page_id in ids if page_id in nodes] for side, ids in sides.items()
    }
    similar = [(nodes[other.pk], similarity) for other, similarity in near if other.pk in nodes]
    graph.similar.extend((0, graph.nodes.index(node)) for node, _ in similar)
    right = shown["mutual"] + shown["outgoing"]
    drawing = _draw(graph, shown["incoming"], right, [node for node, _ in similar])
    result = {side: Side(shown[side], totals[side]) for side in sides}
    return Neighbourhood(**result, similar=similar, drawing=drawing)


def _latest(links: QuerySet[Link], end: str, limit: int = NEIGHBOURS_A_SIDE) -> list[int]:
    """Return the pages at this end of the links, those last changed first."""
    changed = links.values_list(end).annotate(changed=Max(f"{end}__updated_at"))
    return [page_id for page_id, _ in changed.order_by("-changed", f"-{end}")[:limit]]


def _similar(page: Page, incoming: QuerySet[Link], targets: set[int]) -> list[tuple[Page, float]]:
    """Find the nearest pages without a link from or to this one."""
    if page.embed_model != active_fingerprint() or page.embedding is None:
        return []
    others = Page.objects.comparable(page.embed_model).filter(wiki=page.wiki_id).exclude(pk=page.pk)
    unlinked = others.exclude(pk__in=targets).exclude(pk__in=incoming.values("from_page"))
    hits = nearest_pages(unlinked.defer("body"), page.embedding, SIMILAR_SHOWN)
    near = [(hit.page, hit.similarity or 0.0) for hit in hits]
    return [pair for pair in near if reaches(pair[1], related_from())]


def _count_links(ids: Sequence[int]) -> dict[int, int]:
    links = Link.objects.live().order_by().filter(resolved_page__in=ids)
    return dict(links.values_list("resolved_page").annotate(n=Count("from_page", distinct=True)))


def _draw(graph: Graph, incoming: list[Node], outgoing: list[Node], similar: list[Node]) -> Drawing:
    rows = max(len(incoming), len(outgoing), 2)
    row = min(max(HEIGHT // rows, MIN_ROW), MAX_ROW)
    below = len(similar) * (BELOW_NAME + 24) // 2
    left, right = (max(_room_for(side), below) for side in (incoming, outgoing))
    height = (rows + 1) * row
    placed = {0: _center(graph.nodes[0], left, height // 2)}
    for nodes, direction in ((incoming, -1), (outgoing, 1)):
        for number, node in enumerate(nodes):
            down = (number - (len(nodes) - 1) / 2) * row
            reach = REACH + BULGE * math.sqrt(1 - (2 * down / (max(len(nodes), 4) * row)) ** 2)
            x, y = round(left + direction * reach), round(height / 2 + down)
            placed[graph.nodes.index(node)] = _beside(node, x, y, direction)
    for number, node in enumerate(similar):
        placed[graph.nodes.index(node)] = _below(node, number, len(similar), left, height + 34)
    drawn = [placed[number] for number in range(len(graph.nodes))]
    edges = [_bend(edge, drawn) for edge in draw_edges(drawn, graph)]
    return Drawing(left + right, height + (100 if similar else 0), drawn, edges)


def _room_for(side: list[Node]) -> int:
    """Return the pixels from the centre to the edge."""
    longest = max((min(text_width(node.title), SIDE_NAME) for node in side), default=0)
    return round(REACH + BULGE + MIN_ROW + longest) if side else BARE_SIDE


def _center(node: Node, x: int, y: int) -> DrawnNode:
    radius = max(radius_of(node.links), 13)
    labels = stack_labels(wrap(node.title, 1.5 * REACH), x, y + radius + 18)
    return DrawnNode(node, x, y, radius, labels, is_center=True)


def _beside(node: Node, x: int, y: int, direction: int) -> DrawnNode:
    """Draw on an arc, so that no edge crosses a node, with the name on the outer side."""
    radius = min(radius_of(node.links), MIN_ROW // 2 - 4)
    label = Label(truncate(node.title, SIDE_NAME - radius), x + direction * (radius + 7), y + 4)
    anchor = "start" if direction > 0 else "end"
    return DrawnNode(node, x, y, radius, [label], anchor)


def _below(node: Node, number: int, count: int, middle: int, y: int) -> DrawnNode:
    x = round(middle + (number - (count - 1) / 2) * (BELOW_NAME + 24))
    radius = min(radius_of(node.links), 12)
    labels = stack_labels(wrap(node.title, BELOW_NAME), x, y + radius + LINE_HEIGHT)
    return DrawnNode(node, x, y, radius, labels)


def _bend(edge: DrawnEdge, drawn: list[DrawnNode]) -> DrawnEdge:
    """Bend an edge between two neighbours around the centre, and mark it to be drawn faint."""
    if 0 in (edge.start, edge.end):
        return edge
    start, end, center = drawn[edge.start], drawn[edge.end], drawn[0]
    x, y = (start.x + end.x + 2 * center.x) // 4, (start.y + end.y) // 2
    corner = replace(center, x=x, y=y, radius=0)
    head, tail = draw_line(start, corner, is_mutual=edge.is_mutual), draw_line(corner, end)
    path = f"{head.partition('L')[0]}Q{corner.x} {corner.y} {tail.partition('L')[2]}"
    return replace(edge, path=path, is_aside=True)
