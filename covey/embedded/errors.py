class ServerError(Exception):
    """The embedded PostgreSQL cannot be used; the message says why and what to do."""
