from contextlib import suppress

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.models import Role
from wiki.pages.author import Author
from wiki.pages.protect import find_protection, lift_protection, protect_page
from wiki.pages.write import PageGone
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number


@require_http_methods(["GET", "HEAD", "POST"])
def protection(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Asks once, then protects the page or lets agents write again."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    page = find_page(wiki, slug)
    if request.method != "POST":
        context = frame_context(
            wiki, page=page, mark=find_protection(page), waiting=page.suggestions.open().count()
        )
        return render(request, "wiki/pages/protection.html", context)
    if posted_number(request, "page_id") != page.pk:
        messages.error(request, _("Nothing was changed: this address belongs to another page now."))
        return redirect(page)
    change = protect_page if request.POST.get("protect") == "yes" else lift_protection
    with suppress(PageGone):
        change(page, author=Author.person(request.user))
    return redirect("page", wiki.slug, page.slug)
