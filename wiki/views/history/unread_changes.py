"""That somebody is in a wiki, noticed on its pages without a query."""

import time

from django.http import HttpRequest

from wiki.history.unread_changes import FRESH, note_visit
from wiki.models import Wiki

STAMPS = "visits"


def keep_visit(request: HttpRequest, wiki: Wiki) -> None:
    """Notes the visit now and then. The session, which is read anyway, knows when it was last
    done."""
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
