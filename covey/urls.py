from django.contrib import admin
from django.urls import include, path, re_path

from covey.health_endpoints import healthz, readyz
from wiki.admin.embedding_status import status
from wiki.admin.view_on_site import view_on_site
from wiki.api.main import api
from wiki.mcp.endpoint import mcp
from wiki.views.api_reference import api_reference

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/v1/docs", api_reference, name="api_reference"),
    path("api/v1/", api.urls),
    re_path(r"^mcp/?$", mcp, name="mcp"),
    path("admin/embedding/", admin.site.admin_view(status), name="embedding_status"),
    path(
        "admin/r/<path:content_type_id>/<path:object_id>/",
        admin.site.admin_view(view_on_site),
    ),
    path("admin/", admin.site.urls),
    path("", include("wiki.urls")),
]
