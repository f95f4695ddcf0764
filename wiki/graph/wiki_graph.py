"""The graph of a whole wiki, cached until one of its pages changes."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max

from embeddings.client import active_fingerprint
from wiki.graph.layout import lay_out
from wiki.graph.load_graph import Graph, collect_graph
from wiki.graph.svg import (
    LINE_HEIGHT,
    Drawing,
    DrawnEdge,
    DrawnNode,
    draw_line,
    radius_of,
    stack_labels,
    text_width,
    wrap,
)
from wiki.models import Page, Wiki

# Pixels of the drawing, its margin, and a line of a name.
WIDTH = 1_040
MARGIN = 14
NAME_WIDTH = 118


@dataclass(frozen=True)
class WikiGraph:
    graph: Graph
    drawing: Drawing


def find_wiki_graph(wiki: Wiki, type: str = "", *, with_similar: bool = False) -> WikiGraph:
    key = _key(wiki, type, with_similar)
    known: WikiGraph | None = cache.get(key)
    if known is None:
        graph = collect_graph(wiki, type, with_similar=with_similar)
        known = WikiGraph(graph, draw_graph(graph))
        cache.set(key, known, timeout=24 * 3600)
    return known


def draw_graph(graph: Graph) -> Drawing:
    names = [wrap(node.title, NAME_WIDTH) for node in graph.nodes]
    radii = [radius_of(node.links) for node in graph.nodes]
    boxes = [_box(lines, radius) for lines, radius in zip(names, radii, strict=True)]
    points, width, height = lay_out(
        np.array(boxes).reshape(-1, 2), [*graph.links, *graph.similar], WIDTH - 2 * MARGIN
    )
    drawn = []
    for node, lines, radius, box, (x, y) in zip(
        graph.nodes, names, radii, boxes, points.tolist(), strict=True
    ):
        middle, top = round(x + MARGIN), round(y + MARGIN - box[1] / 2 + radius + 3)
        labels = stack_labels(lines, middle, top + radius + LINE_HEIGHT)
        drawn.append(DrawnNode(node, middle, top, radius, labels))
    width, height = width + 2 * MARGIN, height + 2 * MARGIN
    return Drawing(round(width), round(height), drawn, draw_edges(drawn, graph))


def draw_edges(drawn: list[DrawnNode], graph: Graph) -> list[DrawnEdge]:
    """Draw similar pages below links; two pages that link to each other share one edge."""
    links = set(graph.links)
    edges = [_edge(drawn, a, b, is_similar=True) for a, b in graph.similar]
    for a, b in graph.links:
        is_mutual = (b, a) in links
        if not is_mutual or a < b:
            edges.append(_edge(drawn, a, b, is_mutual=is_mutual))
    return edges


def _edge(
    drawn: list[DrawnNode], a: int, b: int, *, is_mutual: bool = False, is_similar: bool = False
) -> DrawnEdge:
    path = draw_line(drawn[a], drawn[b], arrows=not is_similar, is_mutual=is_mutual)
    return DrawnEdge(path, a, b, is_mutual, is_similar)


def _box(lines: Iterable[str], radius: int) -> tuple[float, float]:
    """Return the width and height of an icon with its name below."""
    lines = list(lines)
    return max(*map(text_width, lines), 2 * radius) + 12, 2 * radius + LINE_HEIGHT * len(lines) + 14


def _key(wiki: Wiki, type: str, with_similar: bool) -> str:
    """Every change of a link or name changes a page; embedding changes similarities."""
    live = Page.objects.live().filter(wiki=wiki)
    version = live.aggregate(n=Count("pk"), last=Max("updated_at"), embedded=Max("embedded_at"))
    trashed = (
        Page.objects.trashed().filter(wiki=wiki).aggregate(n=Count("pk"), last=Max("trashed_at"))
    )
    seen = repr((wiki.pk, type, with_similar, active_fingerprint(), version, trashed))
    return f"map-{hashlib.sha256(seen.encode()).hexdigest()}"
