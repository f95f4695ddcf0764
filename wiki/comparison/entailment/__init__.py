"""Tell whether pages entail an insight: statement by statement, in other words with the same facts.

In doubt they do not: a text kept twice is better than one lost. Statements are told apart as in
wiki.comparison; here come phrases of attribution around them, and words in another order.
"""

from wiki.comparison.entailment.claims import Claims, said_on

__all__ = ["Claims", "said_on"]
