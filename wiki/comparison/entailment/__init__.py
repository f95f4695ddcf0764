"""Whether pages say already what an insight says: statement by statement, in other words but with
the same facts.

In doubt they do not: a text kept twice is better than one lost. What tells two statements apart is
the guard's judgement; what this adds is the dress that quoting puts around them, and words that
only stand elsewhere.
"""

from wiki.comparison.entailment.claims import Claims, said_on

__all__ = ["Claims", "said_on"]
