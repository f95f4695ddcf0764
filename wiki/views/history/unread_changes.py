"""Visits of a wiki, noticed without a query."""

import time

from django.http import HttpRequest

from wiki.history.unread_changes import FRESH, note_visit
from wiki.models import Wiki

STAMPS = "visits"


def keep_visit(request: HttpRequest, wiki: Wiki) -> None:
    """Note the visit now and then; the session, which is read anyway, holds the last time."""
    if not request.user.is_authenticated:
        return
    now, name = time.time(), str(wiki.pk)
    stamps = request.session.get(STAMPS, {})
    fresh = {
        wiki_id: moment
        for wiki_id, moment in stamps.items()
        if now - moment < FRESH.total_seconds()
    }
    if name in fresh:
        return
    note_visit(wiki, request.user)
    request.session[STAMPS] = {**fresh, name: now}
