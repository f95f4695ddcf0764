class ServerError(Exception):
    """The embedded PostgreSQL cannot be had; the message says why and what to do."""
