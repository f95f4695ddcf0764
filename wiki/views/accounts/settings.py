from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.accounts.wikis import WikiRefused, change_wiki
from wiki.models import Role
from wiki.views.forms import WikiSettingsForm
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Name, readers and language of a wiki."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    form = (
        WikiSettingsForm(request.POST)
        if request.method == "POST"
        else WikiSettingsForm.of_wiki(wiki)
    )
    if form.is_valid():
        try:
            change_wiki(wiki, **form.cleaned_data)
            messages.success(request, _("The settings are saved."))
            return redirect("settings", wiki.slug)
        except WikiRefused:
            form.add_error("name", _("A wiki needs a name."))
            wiki.refresh_from_db()
    return render(
        request,
        "wiki/accounts/settings.html",
        frame_context(wiki, form=form),
        status=422 if form.errors else 200,
    )
