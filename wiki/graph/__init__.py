"""Pictures of what links to what: a whole wiki, and the neighbourhood of one page."""

from wiki.graph.icons import SIGNS
from wiki.graph.page_graph import NEIGHBOURS_A_SIDE, Around, Neighbourhood, find_neighbourhood
from wiki.graph.query import MAX_DOTS, Dot, Graph
from wiki.graph.svg import Edge, Label, Node, Picture
from wiki.graph.wiki_graph import WikiMap, find_map

__all__ = [
    "Around",
    "Dot",
    "Edge",
    "Graph",
    "Label",
    "MAX_DOTS",
    "NEIGHBOURS_A_SIDE",
    "Neighbourhood",
    "Node",
    "Picture",
    "SIGNS",
    "WikiMap",
    "find_map",
    "find_neighbourhood",
]
