"""Keys and passwords in what agents hand in: taken out before anything is stored, and said so.

What only talks about secrets stays: their names and beginnings, hashes, placeholders, examples.
"""

from wiki.redaction.redact import MASKED, Masked, mask_secrets, removed_from

__all__ = ["MASKED", "Masked", "mask_secrets", "removed_from"]
