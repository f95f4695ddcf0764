"""The admin: a look at every row, and the few actions that are a rule's one call. Texts are edited on the wiki."""

from django.contrib import admin

from wiki.admin import agents, insights, merges, pages, recalls, revisions, suggestions, users, wikis

admin.site.site_header = admin.site.site_title = "covey"

__all__ = ["agents", "insights", "merges", "pages", "recalls", "revisions", "suggestions", "users", "wikis"]
