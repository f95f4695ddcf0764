"""Pictures of what links to what: a whole wiki, and the neighbourhood of one page."""

from wiki.maps.drawing import Edge, Label, Node, Picture
from wiki.maps.graph import MAX_DOTS, Dot, Graph
from wiki.maps.neighbourhood import NEIGHBOURS_A_SIDE, Around, Neighbourhood, find_neighbourhood
from wiki.maps.signs import SIGNS
from wiki.maps.whole import WikiMap, find_map

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
