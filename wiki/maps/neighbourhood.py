"""The neighbourhood of a page: left who links to it, right where it links to, below what is similar."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Q

from embeddings.client import active_fingerprint
from wiki.maps.drawing import LINE_HEIGHT, Edge, Label, Node, Picture, cut, draw_line, radius_of, wrap
from wiki.maps.graph import SIMILAR_FROM, Dot, Graph, links_among, make_graph
from wiki.maps.whole import draw_edges
from wiki.models import Link, Page, PageQuerySet
from wiki.recall import ROUNDING, nearest_pages

# More names cannot be read in one picture; the lists beside it have all.
NEIGHBOURS_A_SIDE = 18
SIMILAR_SHOWN = 5
MIN_ROW, MAX_ROW, HEIGHT = 36, 56, 400
REACH, BULGE = 150, 130
SIDE_NAME, BELOW_NAME = 250, 150
SIDE, BARE_SIDE = REACH + BULGE + SIDE_NAME, 150


@dataclass(frozen=True)
class Around:
    """Some of the pages on one side, and how many there are in all."""

    dots: list[Dot]
    total: int


@dataclass(frozen=True)
class Neighbourhood:
    """Who links to the page, who is linked with it both ways, where it links to, and what is similar but not linked."""

    incoming: Around
    mutual: Around
    outgoing: Around
    similar: list[tuple[Dot, float]]
    picture: Picture

    @property
    def is_empty(self) -> bool:
        return not (self.incoming.total or self.mutual.total or self.outgoing.total or self.similar)

    @property
    def left_out(self) -> int:
        return sum(around.total - len(around.dots) for around in (self.incoming, self.mutual, self.outgoing))


def find_neighbourhood(page: Page, *, with_similar: bool = False) -> Neighbourhood:
    """The pages last changed come first."""
    live = Page.objects.live().filter(wiki=page.wiki_id).exclude(pk=page.pk)
    linked_to = Q(pk__in=page.links.filter(resolved_page__isnull=False).order_by().values("resolved_page"))
    linking = Q(pk__in=page.incoming_links.order_by().values("from_page"))
    kinds = {"incoming": linking & ~linked_to, "mutual": linking & linked_to, "outgoing": linked_to & ~linking}
    totals = live.aggregate(**{kind: Count("pk", filter=condition) for kind, condition in kinds.items()})
    incoming = _latest(live.filter(kinds["incoming"]), NEIGHBOURS_A_SIDE)
    mutual = _latest(live.filter(kinds["mutual"]), NEIGHBOURS_A_SIDE)
    outgoing = _latest(live.filter(kinds["outgoing"]), NEIGHBOURS_A_SIDE - len(mutual))
    near = _similar(page, linked_to | linking) if with_similar else []
    chosen = [page.pk, *incoming, *mutual, *outgoing, *(other.pk for other, _ in near)]
    graph = make_graph(chosen, _count_links(chosen), links_among(Page.objects.filter(pk__in=chosen)))
    dots = {dot.page_id: dot for dot in graph.dots}
    sides = [[dots[page_id] for page_id in ids if page_id in dots] for ids in (incoming, mutual, outgoing)]
    similar = [(dots[other.pk], similarity) for other, similarity in near if other.pk in dots]
    graph.similar.extend((0, graph.dots.index(dot)) for dot, _ in similar)
    picture = _draw(graph, sides[0], sides[1] + sides[2], [dot for dot, _ in similar])
    around = {kind: Around(side, totals[kind]) for side, kind in zip(sides, kinds, strict=True)}
    return Neighbourhood(**around, similar=similar, picture=picture)


def _latest(pages: PageQuerySet, limit: int) -> list[int]:
    return list(pages.order_by("-updated_at", "-pk").values_list("pk", flat=True)[:limit])


def _similar(page: Page, is_linked: Q) -> list[tuple[Page, float]]:
    """The nearest pages that are not linked with this one."""
    if page.embed_model != active_fingerprint() or page.embedding is None:
        return []
    others = Page.objects.comparable(page.embed_model).filter(wiki=page.wiki_id).exclude(pk=page.pk)
    hits = nearest_pages(others.exclude(is_linked).defer("body"), page.embedding, SIMILAR_SHOWN)
    near = [(hit.page, hit.similarity or 0.0) for hit in hits]
    return [pair for pair in near if pair[1] >= SIMILAR_FROM - ROUNDING]


def _count_links(ids: Sequence[int]) -> dict[int, int]:
    links = Link.objects.order_by().filter(resolved_page__in=ids, from_page__trashed_at=None)
    return dict(links.values_list("resolved_page").annotate(n=Count("from_page", distinct=True)))


def _draw(graph: Graph, incoming: list[Dot], outgoing: list[Dot], similar: list[Dot]) -> Picture:
    rows = max(len(incoming), len(outgoing), 2)
    row = min(max(HEIGHT // rows, MIN_ROW), MAX_ROW)
    # A side without pages needs no room, unless the row below does.
    left, right = (SIDE if side or similar else BARE_SIDE for side in (incoming, outgoing))
    middle, height = left, (rows + 1) * row
    placed = {0: _center(graph.dots[0], middle, height // 2)}
    for dots, direction in ((incoming, -1), (outgoing, 1)):
        for number, dot in enumerate(dots):
            down = (number - (len(dots) - 1) / 2) * row
            reach = REACH + BULGE * math.sqrt(1 - (2 * down / (max(len(dots), 4) * row)) ** 2)
            x, y = round(middle + direction * reach), round(height / 2 + down)
            placed[graph.dots.index(dot)] = _beside(dot, x, y, direction)
    for number, dot in enumerate(similar):
        placed[graph.dots.index(dot)] = _below(dot, number, len(similar), middle, height + 34)
    nodes = [placed[number] for number in range(len(graph.dots))]
    edges = [_bend(edge, nodes) for edge in draw_edges(nodes, graph)]
    return Picture(left + right, height + (100 if similar else 0), nodes, edges)


def _center(dot: Dot, x: int, y: int) -> Node:
    radius = max(radius_of(dot.links), 13)
    lines = wrap(dot.title, 1.3 * REACH)
    labels = [Label(line, x, y + radius + 18 + number * LINE_HEIGHT) for number, line in enumerate(lines)]
    return Node(dot.slug, dot.title, dot.type, dot.links, x, y, radius, labels, is_center=True)


def _beside(dot: Dot, x: int, y: int, direction: int) -> Node:
    """On an arc, so that no line runs through another page; the name on the outer side."""
    radius = min(radius_of(dot.links), MIN_ROW // 2 - 4)
    label = Label(cut(dot.title, SIDE_NAME - radius), x + direction * (radius + 7), y + 4)
    anchor = "start" if direction > 0 else "end"
    return Node(dot.slug, dot.title, dot.type, dot.links, x, y, radius, [label], anchor)


def _below(dot: Dot, number: int, count: int, middle: int, y: int) -> Node:
    x = round(middle + (number - (count - 1) / 2) * (BELOW_NAME + 24))
    radius = min(radius_of(dot.links), 12)
    lines = wrap(dot.title, BELOW_NAME)
    labels = [Label(line, x, y + radius + LINE_HEIGHT + row * LINE_HEIGHT) for row, line in enumerate(lines)]
    return Node(dot.slug, dot.title, dot.type, dot.links, x, y, radius, labels)


def _bend(edge: Edge, nodes: list[Node]) -> Edge:
    """A line between two neighbours is no matter of the page in the middle: it stays faint and keeps to the side."""
    if 0 in (edge.start, edge.end):
        return edge
    start, end, center = nodes[edge.start], nodes[edge.end], nodes[0]
    corner = Node("", "", "", 0, (start.x + end.x + 2 * center.x) // 4, (start.y + end.y) // 2, 0, [])
    head, tail = draw_line(start, corner, is_mutual=edge.is_mutual), draw_line(corner, end)
    path = f"{head.partition('L')[0]}Q{corner.x} {corner.y} {tail.partition('L')[2]}"
    return replace(edge, path=path, is_aside=True)
