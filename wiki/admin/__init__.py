"""The admin: a look at every row, and the few actions that are a rule's one call. Texts are edited
on the wiki."""

from django.contrib import admin
from django_q.models import Failure, OrmQ, Schedule, Success

from wiki.admin import (
    agents,
    insights,
    merges,
    pages,
    recalls,
    revisions,
    suggestions,
    users,
    wikis,
)

# A schedule that somebody saves is a program that runs within a minute.
admin.site.unregister([Failure, OrmQ, Schedule, Success])
admin.site.site_header = admin.site.site_title = "covey"

__all__ = [
    "agents",
    "insights",
    "merges",
    "pages",
    "recalls",
    "revisions",
    "suggestions",
    "users",
    "wikis",
]
