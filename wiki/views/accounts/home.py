from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.accounts.wikis import WikiRefused, create_wiki
from wiki.models import Wiki
from wiki.views.forms import WikiForm


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """The wikis; staff can make one."""
    is_staff = getattr(request.user, "is_staff", False)
    if request.method == "POST" and not is_staff:
        return render(request, "403.html", status=403)
    form = WikiForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            wiki = create_wiki(
                form.cleaned_data["name"], form.cleaned_data["description"], owner=request.user
            )
            return redirect(wiki)
        except WikiRefused as refused:
            form.add_error(
                "name",
                _("There is a wiki with the address “{slug}” already.").format(slug=refused.slug),
            )
    live = Q(pages__trashed_at=None)
    counted = {
        "page_count": Count("pages", filter=live),
        "changed_at": Max("pages__updated_at", filter=live),
    }
    wikis = Wiki.objects.open_to(request.user).annotate(**counted).order_by("name", "id")
    context = {"wikis": wikis, "form": form, "is_staff": is_staff}
    return render(request, "wiki/accounts/home.html", context, status=422 if form.errors else 200)
