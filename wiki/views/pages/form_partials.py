"""Pieces of the edit form, for its scripts and for the form itself: preview, changes, link
proposals, templates."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from wiki.history.diff import describe_changes, find_differing_fields
from wiki.models import Page, PageType, Revision, Role, Wiki
from wiki.pages.fields import MAX_BODY_BYTES, PageFields, fold_aliases, fold_tags
from wiki.pages.link_completion import (
    PROPOSED,
    Proposal,
    link_to_address,
    means_a_page,
    propose_beginnings,
    propose_headings,
    propose_pages,
)
from wiki.pages.page_templates import PageTemplate, find_template
from wiki.text.cleaning import MAX_TITLE, clean_line, clean_text, clean_title
from wiki.views.forms import PageForm
from wiki.views.permissions import find_wiki
from wiki.views.render import render_text


@require_POST
def preview(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    form = read_form(request)
    return _too_large() if is_too_large(form) else HttpResponse(draw_preview(wiki, form))


@require_POST
def changes(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    form = read_form(request)
    return _too_large() if is_too_large(form) else HttpResponse(draw_changes(wiki, form))


@require_safe
def links(request: HttpRequest, wiki_slug: str) -> JsonResponse:
    """Pages that a link with the words typed so far may mean, and whether it would lead to none; or
    what a link says in place of a pasted `address`."""
    wiki = find_wiki(request, wiki_slug)
    if address := request.GET.get("address"):
        return JsonResponse({"link": link_to_address(wiki, clean_line(address))})
    typed = clean_line(request.GET.get("q", ""))
    pages = _rows(propose_pages(wiki, typed[:MAX_TITLE]))
    is_new = 0 < len(typed) <= MAX_TITLE and not means_a_page(wiki, typed)
    return JsonResponse({"pages": pages, "is_new": is_new})


@require_safe
def headings(request: HttpRequest, wiki_slug: str) -> JsonResponse:
    """For `page#words`: matching headings of the page, behind pages with a `#` in the title."""
    wiki = find_wiki(request, wiki_slug)
    target, typed = (clean_line(request.GET.get(name, ""))[:MAX_TITLE] for name in ("page", "q"))
    pages = _rows(propose_beginnings(wiki, f"{target}#{typed}"))
    found = propose_headings(wiki, target, typed)[: PROPOSED - len(pages)]
    return JsonResponse(
        {
            "pages": pages,
            "headings": [{"title": heading.text, "link": link} for heading, link in found],
        }
    )


def _rows(proposals: list[Proposal]) -> list[dict[str, str]]:
    return [
        {
            "title": proposal.page.title,
            "type": proposal.page.get_type_display(),
            "link": proposal.link,
            "formerly": proposal.formerly,
        }
        for proposal in proposals
    ]


@require_safe
def template(request: HttpRequest, wiki_slug: str) -> JsonResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    found = template_for(wiki, request.GET.get("type", ""))
    if found is None:
        return JsonResponse({}, status=404)
    address = (
        reverse("edit", args=[wiki.slug, found.page.slug])
        if found.page
        else _new_template(wiki, found)
    )
    return JsonResponse({"body": found.body, "url": address})


def _new_template(wiki: Wiki, template: PageTemplate) -> str:
    """Where a page is written that takes the place of covey's own template; it begins as that
    one."""
    query = urlencode({"title": template.title, "template": template.type})
    return f"{reverse('new', args=[wiki.slug])}?{query}"


def template_for(wiki: Wiki, type: str) -> PageTemplate | None:
    return find_template(wiki, type, (get_language() or "en").partition("-")[0])


def read_form(request: HttpRequest) -> PageForm:
    form = PageForm(request.POST)
    form.is_valid()
    return form


def is_too_large(form: PageForm) -> bool:
    return len(form.text("body").encode(errors="replace")) > MAX_BODY_BYTES


def _too_large() -> HttpResponse:
    return HttpResponse(
        _("This text is too large for a page."), status=413, content_type="text/plain"
    )


def fields_in(form: PageForm) -> PageFields:
    """The fields of the form, within the limits or not."""
    title, body = clean_title(form.text("title")), clean_text(form.text("body"))
    aliases = fold_aliases(form.alias_list(), title)
    return PageFields(title, body, form.text("type"), fold_tags(form.tag_list()), aliases)


def draw_preview(wiki: Wiki, form: PageForm) -> SafeString:
    """The page as it will look, title and all."""
    mine = fields_in(form)
    context = {
        "title": mine.title,
        "type": PageType.label_of(mine.type),
        "tags": mine.tags,
        "body": render_text(wiki, mine.body, mine.title).html,
    }
    return render_to_string("wiki/pages/preview.html", context)


def draw_changes(wiki: Wiki, form: PageForm) -> SafeString:
    """The differences from the revision that the form began with; for a new page from an empty
    one."""
    base = _find_base(wiki, form)
    before = base or PageFields("", "", "", [])
    mine = fields_in(form)
    context = {
        "changes": describe_changes(before.body, mine.body),
        "differing": find_differing_fields(before, mine),
        "base": base,
    }
    return render_to_string("wiki/pages/form_changes.html", context)


def _find_base(wiki: Wiki, form: PageForm) -> Revision | None:
    page_id, number = form.cleaned_data.get("page_id"), form.cleaned_data.get("base_revision")
    if page_id is None or number is None:
        return None
    revisions = Revision.objects.filter(
        page__in=Page.objects.live().filter(wiki=wiki), page=page_id, number=number
    )
    return revisions.select_related("page").defer("page__body", "page__embedding").first()
