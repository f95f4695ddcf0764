from django.contrib import admin
from django.urls import include, path

from covey.probes import healthz, readyz
from wiki.api.main import api

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
    path("", include("wiki.urls")),
]
