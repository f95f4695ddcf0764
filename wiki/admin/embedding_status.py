"""The embedding's state on one screen, with the buttons that set it going again."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from embeddings.client import active_fingerprint, describe_provider
from wiki.indexing.calibration import active_calibration
from wiki.indexing.model_drift import find_changed_model
from wiki.indexing.price import describe_price
from wiki.indexing.reindex import (
    TRIES,
    describe_outgoing,
    embed_everything_anew,
    measure_progress,
    retry_failures,
)
from wiki.models import Insight, Page, is_superuser
from wiki.operations.health import count_embeddings, find_warnings
from wiki.search.thresholds import BOUNDS
from wiki.tasks import queue_reembed

FAILED_SHOWN = 50


@require_http_methods(["GET", "HEAD", "POST"])
def status(request: HttpRequest) -> HttpResponse:
    """The embedding is the whole installation's, and so are its counts: for superusers."""
    if not is_superuser(request.user):
        raise PermissionDenied
    if request.method == "POST":
        _act(request)
        return HttpResponseRedirect(request.path)
    progress = measure_progress()
    context = {
        **admin.site.each_context(request),
        "title": _("Embedding"),
        "provider": describe_provider(),
        "stock": count_embeddings(),
        "progress": progress,
        "run": progress.run,
        "tries": TRIES,
        "outgoing": describe_outgoing(),
        "price": describe_price(),
        "calibration": active_calibration(),
        "bounds": [(name, bound()) for name, bound in BOUNDS.items()],
        "changed_model": find_changed_model(),
        "failed": Page.objects.failed(active_fingerprint())
        .select_related("wiki")
        .order_by("-updated_at")[:FAILED_SHOWN],
        "pending": Insight.objects.unfiled().count(),
        "warnings": find_warnings(),
    }
    return render(request, "admin/embedding_status.html", context)


def _act(request: HttpRequest) -> None:
    match request.POST.get("action"):
        case "resume":
            queue_reembed()
            messages.success(request, _("The run goes on."))
        case "retry":
            retry_failures()
            queue_reembed()
            messages.success(request, _("These pages are tried again."))
        case "everything":
            embed_everything_anew()
            queue_reembed()
            messages.success(request, _("Every page will be embedded anew."))
