"""The form that writes pages. Whatever goes wrong, the text comes back in a form."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.history.diff import describe_changes, find_differing_fields
from wiki.models import Page, Revision, RevisionKind, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.create_once import AlreadyCreated, create_page_once, find_created
from wiki.pages.edit_conflicts import revise_together
from wiki.pages.fields import MAX_BODY_BYTES, InvalidPage
from wiki.pages.links import find_same_name
from wiki.pages.write import EditConflict, PageGone
from wiki.text.cleaning import MAX_TITLE, clean_line, clean_title
from wiki.views.accounts.auth import take_kept_text
from wiki.views.forms import PageForm
from wiki.views.frame import frame_context
from wiki.views.pages.form_partials import (
    draw_changes,
    draw_preview,
    fields_in,
    is_too_large,
    template_for,
)
from wiki.views.pages.load_page import resolve_address, whole_page
from wiki.views.pages.read import missing_page
from wiki.views.pages.saved_forms import SavedForms
from wiki.views.permissions import find_wiki
from wiki.views.render import render_text


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    if request.method != "POST":
        kept = take_kept_text(request)
        form = PageForm(kept) if kept else _begin(request, wiki)
        title = str(form["title"].value() or "")
        namesake, alike = find_same_name(wiki, title)
        if namesake and not kept and _is_stale_link(request, namesake):
            return redirect("page", wiki.slug, namesake.slug)
        return _form(request, wiki, form, namesake=namesake, alike=alike, kept=kept)
    form = PageForm(request.POST)
    if not form.is_valid():
        return _form(request, wiki, form, status=422)
    action = request.POST.get("action")
    if action == "template":
        return _with_template(request, wiki, form)
    if action not in ("save", "save-second"):
        return _show(request, wiki, form, action)
    if made := find_created(wiki, SavedForms(request.session), form.text("form_key")):
        return _save_again(request, wiki, form, made)
    namesake, alike = find_same_name(wiki, clean_title(form.text("title")))
    if (namesake or alike) and action == "save":
        return _form(request, wiki, form, namesake=namesake, alike=alike, status=409)
    return _create(request, wiki, form)


def _is_stale_link(request: HttpRequest, namesake: Page) -> bool:
    """Whether it was a link that is red no more which led here. Who goes back to the form that made
    the page wants the form."""
    return set(request.GET) == {"title"} and not SavedForms(request.session).made(namesake.pk)


def _begin(request: HttpRequest, wiki: Wiki) -> PageForm:
    """A form prefilled by the address: `template=1` is the template of `type`, another word that of
    the type it names."""
    title = clean_line(request.GET.get("title", ""))[:MAX_TITLE]
    type = request.GET.get("type", "")
    named = request.GET.get("template", "")
    template = template_for(wiki, type if named == "1" else named)
    return PageForm.of_nothing(title=title, type=type, body=template.body if template else "")


def _with_template(request: HttpRequest, wiki: Wiki, form: PageForm) -> HttpResponse:
    """Without a script: the same form with the template in it, where nothing was written yet."""
    if form.text("body").strip():
        messages.info(
            request, _("Your text stays as it is: a template only goes into an empty text.")
        )
    elif template := template_for(wiki, form.text("type")):
        form = form.with_body(template.body)
    else:
        messages.info(request, _("Choose a type first: each has a template of its own."))
    return _form(request, wiki, form)


def _create(request: HttpRequest, wiki: Wiki, form: PageForm) -> HttpResponse:
    memory, key = SavedForms(request.session), form.text("form_key")
    change = Change(Author.person(request.user), RevisionKind.CREATE, form.text("summary"))
    try:
        return redirect(create_page_once(wiki, memory, key, form.page_fields(), change))
    except AlreadyCreated as made:
        return _save_again(request, wiki, form, made.page)
    except InvalidPage as invalid:
        form.show_errors(invalid.errors)
        return _form(request, wiki, form, status=422)


def _save_again(request: HttpRequest, wiki: Wiki, form: PageForm, page: Page) -> HttpResponse:
    """Save a form that made the page already: an unchanged one does nothing, a changed one is an
    edit."""
    page.wiki = wiki
    form = form.on_first(page)
    form.is_valid()
    return _save(request, wiki, page, form)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    resolved = resolve_address(wiki, slug)
    page = whole_page(wiki, resolved.page) if resolved else None
    if request.method == "POST":
        return _posted(request, wiki, page)
    if page is None:
        return missing_page(request, wiki, slug)
    if page.slug != slug:
        return redirect("edit", wiki.slug, page.slug)
    kept = take_kept_text(request)
    return _form(
        request, wiki, PageForm(kept) if kept else PageForm.of_page(page), page=page, kept=kept
    )


def _posted(request: HttpRequest, wiki: Wiki, page: Page | None) -> HttpResponse:
    form = PageForm(request.POST)
    if page is None:
        return _gone(request, wiki, form)
    if not form.is_valid():
        return _form(request, wiki, form, page=page, status=422)
    if request.POST.get("action") != "save":
        return _show(request, wiki, form, request.POST.get("action"), page=page)
    return _save(request, wiki, page, form)


def _save(request: HttpRequest, wiki: Wiki, page: Page, form: PageForm) -> HttpResponse:
    # The address may belong to another page by now: deleted and written anew, or merged.
    if form.cleaned_data["page_id"] != page.pk or form.cleaned_data["base_revision"] is None:
        return _conflict(request, wiki, form, page)
    memory = SavedForms(request.session)
    base = max(
        form.cleaned_data["base_revision"], memory.revision_of(form.text("form_key"), page.pk)
    )
    try:
        change = Change(Author.person(request.user), summary=form.text("summary"))
        saved, is_combined = revise_together(page, base, form.page_fields(), change)
    except EditConflict as conflict:
        return _conflict(request, wiki, form, conflict.page)
    except PageGone:
        return _gone(request, wiki, form)
    except InvalidPage as invalid:
        form.show_errors(invalid.errors)
        return _form(request, wiki, form, page=page, status=422)
    # What somebody else wrote stands in a combined text but not in the form.
    memory.keep(form.text("form_key"), saved.pk, 0 if is_combined else saved.revision)
    if is_combined:
        messages.success(
            request,
            _("Somebody changed the page while you wrote, in another place. Both changes are in."),
        )
    return redirect("page", wiki.slug, saved.slug)


def _show(
    request: HttpRequest,
    wiki: Wiki,
    form: PageForm,
    action: str | None,
    *,
    page: Page | None = None,
) -> HttpResponse:
    """Without a script: the form again, with the preview or the changes beside it."""
    if is_too_large(form):
        return _form(request, wiki, form, page=page)
    if action == "changes":
        return _form(request, wiki, form, page=page, changes=draw_changes(wiki, form))
    return _form(request, wiki, form, page=page, preview=draw_preview(wiki, form))


def _form(
    request: HttpRequest,
    wiki: Wiki,
    form: PageForm,
    *,
    page: Page | None = None,
    namesake: Page | None = None,
    alike: Page | None = None,
    kept: dict[str, str] | None = None,
    preview: SafeString | None = None,
    changes: SafeString | None = None,
    status: int = 200,
) -> HttpResponse:
    # A form that comes back shows first what is wrong with it.
    if not form.is_bound and not namesake and not alike:
        form.focus("body" if form["title"].value() else "title")
    context = _around(
        request,
        wiki,
        form,
        page=page,
        namesake=namesake,
        alike=alike,
        is_kept=bool(kept),
        preview=preview,
        form_changes=changes,
    )
    return render(request, "wiki/pages/edit.html", context, status=status)


def _around(request: HttpRequest, wiki: Wiki, form: PageForm, **more: object) -> dict[str, Any]:
    """Context of every screen with the form."""
    saved_keys = SavedForms(request.session).keys()
    return frame_context(
        wiki,
        form=form,
        is_unsaved=form.is_bound,
        saved_keys=saved_keys,
        max_bytes=MAX_BODY_BYTES,
        **more,
    )


def _conflict(request: HttpRequest, wiki: Wiki, form: PageForm, page: Page) -> HttpResponse:
    """Both versions, their differences, and the person's text ready to be saved on top of the
    present one."""
    page.wiki = wiki
    mine = fields_in(form)
    context = _around(
        request,
        wiki,
        form.on_base(page),
        page=page,
        changes=describe_changes(page.body, mine.body),
        differing=find_differing_fields(page, mine),
        latest=Revision.objects.latest_of(page),
        is_other_page=form.cleaned_data.get("page_id") != page.pk,
        current=render_text(wiki, page.body).html,
    )
    return render(request, "wiki/pages/conflict.html", context, status=409)


def _gone(request: HttpRequest, wiki: Wiki, form: PageForm) -> HttpResponse:
    """The page went to the trash meanwhile: the text can become a new page."""
    form.is_valid()
    page_id = form.cleaned_data.get("page_id")
    trashed = Page.objects.trashed().filter(wiki=wiki, pk=page_id).first() if page_id else None
    context = _around(request, wiki, form.without_base(), trashed=trashed)
    return render(request, "wiki/pages/gone.html", context, status=409)
