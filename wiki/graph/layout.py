"""Where the pages of a map stand. The same links give the same picture."""

from collections.abc import Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
EdgePair = tuple[int, int]

# The length of a line between two pages with few links, in pixels.
EDGE_LENGTH = 105.0
STRESS_STEPS, OVERLAP_STEPS = 80, 160
GAP = 28.0


def lay_out(boxes: Points, edges: Sequence[EdgePair], width: float) -> tuple[Points, float, float]:
    """The middle of each box (width and height in pixels), so that what is linked stands together
    and none covers another; and how wide and high the whole is. Parts without a link between them
    stand side by side."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(boxes)))
    graph.add_edges_from(edges)
    parts = sorted(
        (sorted(part) for part in nx.connected_components(graph)),
        key=lambda part: (-len(part), part),
    )
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
        """The upper left corner of the room for this box."""
        if self.left and self.left + width > self.limit:
            self.left, self.top, self.height = 0.0, self.top + self.height + GAP, 0.0
        corner = np.array([self.left, self.top])
        self.width = max(self.width, self.left + width)
        self.left += width + GAP
        self.height = max(self.height, height)
        return corner


def _minimise_stress(graph: nx.Graph, part: Sequence[int]) -> Points:
    """Distances in the picture like those along the links, as far as a plane allows: stress
    majorisation (Gansner, Koren and North 2004), begun from classical scaling."""
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
    """Along the links, all pairs. A page with many links keeps more room around it."""
    index = {node: number for number, node in enumerate(part)}
    distances = np.full((len(part), len(part)), np.inf)
    np.fill_diagonal(distances, 0.0)
    for a, b in graph.subgraph(part).edges:
        busy = max(graph.degree[a], graph.degree[b])
        distances[index[a], index[b]] = distances[index[b], index[a]] = EDGE_LENGTH * (
            1 + 0.12 * np.sqrt(max(busy - 4, 0))
        )
    for middle in range(len(part)):
        distances = np.minimum(distances, distances[:, middle, None] + distances[None, middle])
    return distances


def _scale_classically(wanted: Points) -> Points:
    centred = wanted**2
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    # Pages with the same links would lie on one another for ever.
    return points + np.random.default_rng(8494).normal(scale=EDGE_LENGTH / 20, size=points.shape)


def _remove_overlaps(points: Points, boxes: Points, width: float) -> Points:
    """Moves apart what covers another, along the shorter way, and keeps the whole within the
    width."""
    points = points.copy()
    room = (boxes[:, None] + boxes[None]) / 2
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
        side = (
            np.sign(apart)
            + (apart == 0)
            * np.sign(np.subtract.outer(np.arange(len(points)), np.arange(len(points))))[..., None]
        )
        push = side * covered * overlap[..., None] * 0.3
        points[:, 0] += (push[..., 0] * sideways).sum(axis=1)
        points[:, 1] += (push[..., 1] * ~sideways).sum(axis=1)
    return points


def _fit_width(points: Points, boxes: Points, width: float) -> None:
    extent = (points + boxes / 2).max(axis=0)[0] - (points - boxes / 2).min(axis=0)[0]
    if extent > width:
        points[:, 0] *= (width - boxes[:, 0].max()) / max(np.ptp(points[:, 0]), 1e-6)
