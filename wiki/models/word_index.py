"""The words of a page, as the database keeps them for its index."""

from django.db.models import GeneratedField


class WordIndexField(GeneratedField):
    """A generated column of which a trigger sees to it that it follows its expression
    (covey_keep_search).

    A trigger knows what stood there before: what is appended to a text is read, and not the whole
    text once more.
    """

    # Nobody needs the words of a page that was just written.
    db_returning = False  # type: ignore[assignment]
