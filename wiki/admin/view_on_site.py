"""The way from a row of the admin to its page, for those who see the row."""

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.contenttypes.models import ContentType
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect


def view_on_site(request: HttpRequest, content_type_id: str, object_id: str) -> HttpResponse:
    """Redirect to the address of a row. Django's own view tells it to every staff account."""
    try:
        model = ContentType.objects.get_for_id(int(content_type_id)).model_class()
    except (ContentType.DoesNotExist, ValueError, OverflowError):
        raise Http404 from None
    if model is None or not admin.site.is_registered(model):
        raise Http404
    rows = admin.site.get_model_admin(model)
    row = rows.get_object(request, unquote(object_id))
    address = getattr(row, "get_absolute_url", None)
    if address is None or not rows.has_view_permission(request, row):
        raise Http404
    return redirect(address())
