"""The words of a page, as the database keeps them for its index."""

from django.db.models import GeneratedField


class WordIndexField(GeneratedField):
    """A generated column that a trigger maintains (covey_keep_search): after an appended paragraph
    the trigger indexes that alone, a generated column the whole text."""

    # Nobody needs the words of a page that was just written.
    db_returning = False  # type: ignore[assignment]
