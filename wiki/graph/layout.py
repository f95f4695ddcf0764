"""Place the nodes of a graph. The same links give the same drawing."""

from collections.abc import Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
EdgePair = tuple[int, int]

# Pixels, between two pages with few links.
EDGE_LENGTH = 105.0
# Iterations after which little moves any more.
STRESS_STEPS = 80
OVERLAP_STEPS = 160
# Pixels between unconnected components.
GAP = 28.0


def lay_out(boxes: Points, edges: Sequence[EdgePair], width: float) -> tuple[Points, float, float]:
    """Return the centre of each box (width and height in pixels), and the whole width and height.

    Linked boxes stand together, none overlaps, unconnected components stand side by side.
    """
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(boxes)))
    graph.add_edges_from(edges)
    components = (sorted(part) for part in nx.connected_components(graph))
    parts = sorted(components, key=lambda part: (-len(part), part))
    points = np.zeros((len(boxes), 2))
    shelf = _ShelfPacking(width)
    for part in parts:
        placed = _remove_overlaps(_minimise_stress(graph, part), boxes[part], width)
        low = (placed - boxes[part] / 2).min(axis=0)
        size = (placed + boxes[part] / 2).max(axis=0) - low
        points[part] = placed - low + shelf.take(size[0], size[1])
    return points, shelf.width, shelf.top + shelf.height


class _ShelfPacking:
    """Boxes from left to right, in rows."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.left = self.top = self.height = self.width = 0.0

    def take(self, width: float, height: float) -> Points:
        """Return the upper left corner for this box."""
        if self.left and self.left + width > self.limit:
            self.left, self.top, self.height = 0.0, self.top + self.height + GAP, 0.0
        corner = np.array([self.left, self.top])
        self.width = max(self.width, self.left + width)
        self.left += width + GAP
        self.height = max(self.height, height)
        return corner


def _minimise_stress(graph: nx.Graph, part: Sequence[int]) -> Points:
    """Fit distances to those along the links by stress majorisation (Gansner, Koren and North
    2004), started from classical scaling."""
    if len(part) == 1:
        return np.zeros((1, 2))
    wanted = _distances(graph, part)
    points = _scale_classically(wanted)
    weights = np.where(wanted > 0, 1 / np.maximum(wanted, 1e-9) ** 2, 0.0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(STRESS_STEPS):
        distances = np.maximum(np.linalg.norm(points[:, None] - points[None], axis=2), 1e-6)
        pull = -weights * wanted / distances
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        points = inverse @ (pull @ points)
    return points


def _distances(graph: nx.Graph, part: Sequence[int]) -> Points:
    """Return all distances along the links, longer at a page with many."""
    index = {node: number for number, node in enumerate(part)}
    distances = np.full((len(part), len(part)), np.inf)
    np.fill_diagonal(distances, 0.0)
    for a, b in graph.subgraph(part).edges:
        busy = max(graph.degree[a], graph.degree[b])
        length = EDGE_LENGTH * (1 + 0.12 * np.sqrt(max(busy - 4, 0)))
        distances[index[a], index[b]] = distances[index[b], index[a]] = length
    for middle in range(len(part)):
        distances = np.minimum(distances, distances[:, middle, None] + distances[None, middle])
    return distances


def _scale_classically(wanted: Points) -> Points:
    centred = wanted**2
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    # Jitter, because pages with the same links would stay on top of one another.
    return points + np.random.default_rng(8494).normal(scale=EDGE_LENGTH / 20, size=points.shape)


def _remove_overlaps(points: Points, boxes: Points, width: float) -> Points:
    """Move overlapping boxes apart, along the shorter way and within the width."""
    points = points.copy()
    room = (boxes[:, None] + boxes[None]) / 2
    numbers = np.arange(len(points))
    order = np.sign(np.subtract.outer(numbers, numbers))
    for step in range(OVERLAP_STEPS):
        _fit_width(points, boxes, width)
        apart = points[:, None] - points[None]
        covered = room - np.abs(apart)
        overlap = np.where((covered > 0).all(axis=2), 1.0, 0.0)
        np.fill_diagonal(overlap, 0.0)
        if not overlap.any():
            break
        # At the edge of the width only up and down is left.
        sideways = (covered[..., 0] * 0.6 < covered[..., 1]) & (step < OVERLAP_STEPS * 3 // 4)
        side = np.sign(apart) + (apart == 0) * order[..., None]
        push = side * covered * overlap[..., None] * 0.3
        points[:, 0] += (push[..., 0] * sideways).sum(axis=1)
        points[:, 1] += (push[..., 1] * ~sideways).sum(axis=1)
    return points


def _fit_width(points: Points, boxes: Points, width: float) -> None:
    extent = (points + boxes / 2).max(axis=0)[0] - (points - boxes / 2).min(axis=0)[0]
    if extent > width:
        points[:, 0] *= (width - boxes[:, 0].max()) / max(np.ptp(points[:, 0]), 1e-6)
