"""Remove keys and passwords from texts of agents before they are stored, and name them.

Names and beginnings of secrets stay, and so do hashes, placeholders and examples.
"""

from wiki.redaction.redact import MASKED, Masked, mask_secrets, removed_from

__all__ = ["MASKED", "Masked", "mask_secrets", "removed_from"]
