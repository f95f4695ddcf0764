"""The form that writes pages. Whatever goes wrong, the text comes back in a form."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from wiki.authors import Author
from wiki.combining import revise_together
from wiki.differences import find_changes, find_differing_fields, shorten_unchanged
from wiki.editing import EditConflict, PageGone, create_page
from wiki.forms import PageForm
from wiki.links import find_alike, find_namesake
from wiki.models import Page, Revision, Role, Wiki
from wiki.page_fields import MAX_BODY_BYTES, InvalidPage, PageFields, fold_tags
from wiki.text import MAX_TITLE, clean_line, clean_text
from wiki.views.access import take_kept_text
from wiki.views.frame import draw_text, find_wiki, in_frame, resolve_address, whole_page
from wiki.views.pages import missing_page


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    if request.method != "POST":
        kept = take_kept_text(request)
        title = clean_line(request.GET.get("title", ""))[:MAX_TITLE]
        form = PageForm(kept) if kept else PageForm(initial={"title": title})
        namesake, alike = find_namesake(wiki, title), find_alike(wiki, title)
        return _form(request, wiki, form, namesake=namesake, alike=alike, kept=kept)
    form = PageForm(request.POST)
    if not form.is_valid():
        return _form(request, wiki, form, status=422)
    action = request.POST.get("action")
    if action not in ("save", "save-second"):
        return _form(request, wiki, form, with_preview=True)
    namesake, alike = (find(wiki, clean_line(form.text("title"))) for find in (find_namesake, find_alike))
    if (namesake or alike) and action == "save":
        return _form(request, wiki, form, namesake=namesake, alike=alike, status=409)
    try:
        return redirect(create_page(wiki, author=Author.person(request.user), **form.content()))
    except InvalidPage as invalid:
        form.show_errors(invalid.errors)
        return _form(request, wiki, form, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    resolved = resolve_address(wiki, slug)
    page = whole_page(wiki, resolved.page) if resolved else None
    if request.method == "POST":
        return _save(request, wiki, page)
    if page is None:
        return missing_page(request, wiki, slug)
    if page.slug != slug:
        return redirect("edit", wiki.slug, page.slug)
    kept = take_kept_text(request)
    return _form(request, wiki, PageForm(kept) if kept else PageForm.of_page(page), page=page, kept=kept)


def _save(request: HttpRequest, wiki: Wiki, page: Page | None) -> HttpResponse:
    form = PageForm(request.POST)
    if page is None:
        return _gone(request, wiki, form)
    if not form.is_valid():
        return _form(request, wiki, form, page=page, status=422)
    if request.POST.get("action") != "save":
        return _form(request, wiki, form, page=page, with_preview=True)
    # The address may belong to another page by now: deleted and written anew, or merged.
    if form.cleaned_data["page_id"] != page.pk or form.cleaned_data["base_revision"] is None:
        return _conflict(request, wiki, form, page)
    try:
        saved, is_combined = revise_together(
            page, form.cleaned_data["base_revision"], author=Author.person(request.user), **form.content()
        )
    except EditConflict as conflict:
        return _conflict(request, wiki, form, conflict.page)
    except PageGone:
        return _gone(request, wiki, form)
    except InvalidPage as invalid:
        form.show_errors(invalid.errors)
        return _form(request, wiki, form, page=page, status=422)
    if is_combined:
        messages.success(
            request, _("Somebody changed the page while you wrote, in another place. Both changes are in.")
        )
    return redirect("page", wiki.slug, saved.slug)


def _form(
    request: HttpRequest,
    wiki: Wiki,
    form: PageForm,
    *,
    page: Page | None = None,
    namesake: Page | None = None,
    alike: Page | None = None,
    kept: dict[str, str] | None = None,
    with_preview: bool = False,
    status: int = 200,
) -> HttpResponse:
    preview = draw_text(wiki, clean_text(form.text("body"))).html if with_preview and not _is_too_large(form) else None
    # A form that comes back shows first what is wrong with it.
    if not form.is_bound and not namesake and not alike:
        form.focus("body" if form["title"].value() else "title")
    context = in_frame(
        wiki,
        form=form,
        page=page,
        namesake=namesake,
        alike=alike,
        is_kept=bool(kept),
        is_unsaved=form.is_bound,
        preview=preview,
    )
    return render(request, "wiki/edit.html", context, status=status)


def _is_too_large(form: PageForm) -> bool:
    return len(form.text("body").encode(errors="replace")) > MAX_BODY_BYTES


def _conflict(request: HttpRequest, wiki: Wiki, form: PageForm, page: Page) -> HttpResponse:
    """Both versions, what differs, and the person's own text ready to be saved on top of the present one."""
    page.wiki = wiki
    title, mine, tags = clean_line(form.text("title")), clean_text(form.text("body")), fold_tags(form.tag_list())
    context = in_frame(
        wiki,
        form=form.on_base(page),
        page=page,
        is_unsaved=True,
        changes=shorten_unchanged(find_changes(page.body, mine)),
        differing=find_differing_fields(page, PageFields(title, mine, form.text("type"), tags)),
        latest=Revision.objects.latest_of(page),
        is_other_page=form.cleaned_data.get("page_id") != page.pk,
        current=draw_text(wiki, page.body).html,
    )
    return render(request, "wiki/conflict.html", context, status=409)


def _gone(request: HttpRequest, wiki: Wiki, form: PageForm) -> HttpResponse:
    """The page went to the trash meanwhile: the text can become a new page."""
    form.is_valid()
    page_id = form.cleaned_data.get("page_id")
    trashed = Page.objects.trashed().filter(wiki=wiki, pk=page_id).first() if page_id else None
    context = in_frame(wiki, form=form.without_base(), trashed=trashed, is_unsaved=True)
    return render(request, "wiki/gone.html", context, status=409)


@require_POST
def preview(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """A text as it would look, as a piece of HTML for the form's script."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    body = clean_text(request.POST.get("body", ""))
    if len(body.encode()) > MAX_BODY_BYTES:
        return HttpResponse(_("This text is too large for a page."), status=413, content_type="text/plain")
    return HttpResponse(draw_text(wiki, body).html)
