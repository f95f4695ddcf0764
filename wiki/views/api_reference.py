"""/api/v1/docs: the API for people, made of /api/v1/openapi.json and open to everybody."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from wiki.api.main import api
from wiki.api.reference import Reference, read_reference

# The order in which somebody meets them; others come after, under their own word.
_GROUPS = {
    "memory": _("Memory"),
    "pages": _("Pages"),
    "recalls": _("Recalls"),
    "suggestions": _("Suggestions"),
}


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    reference = _reference(settings.COVEY_PUBLIC_URL.rstrip("/"))
    order = [*_GROUPS, *(name for name in reference.groups if name not in _GROUPS)]
    groups = [
        (name, _GROUPS.get(name, name.capitalize()), reference.groups[name])
        for name in order
        if name in reference.groups
    ]
    context = {
        "reference": reference,
        "groups": groups,
        "address": f"{settings.COVEY_PUBLIC_URL.rstrip('/')}/api/v1",
    }
    return render(request, "api/reference.html", context)


@cache
def _reference(address: str) -> Reference:
    return read_reference(api.get_openapi_schema(), address)
