"""Drawings of the links of a whole wiki, and of the neighbourhood of a page."""

from wiki.graph.icons import ICON_PATHS
from wiki.graph.load_graph import MAX_NODES, Graph, Node
from wiki.graph.page_graph import NEIGHBOURS_A_SIDE, Neighbourhood, Side, find_neighbourhood
from wiki.graph.svg import Drawing, DrawnEdge, DrawnNode, Label
from wiki.graph.wiki_graph import WikiGraph, find_wiki_graph

__all__ = [
    "Side",
    "Node",
    "DrawnEdge",
    "Graph",
    "Label",
    "MAX_NODES",
    "NEIGHBOURS_A_SIDE",
    "Neighbourhood",
    "DrawnNode",
    "Drawing",
    "ICON_PATHS",
    "WikiGraph",
    "find_wiki_graph",
    "find_neighbourhood",
]
