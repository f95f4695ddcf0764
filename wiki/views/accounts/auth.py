"""Signing in, without losing the text of a form."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import LoginView, redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from wiki.models import Wiki
from wiki.text.cleaning import clean_text
from wiki.views.forms import PageForm

View = Callable[..., HttpResponseBase]

KEPT = "kept_text"
# A kept text lies in the session; what no page could hold is not kept.
MAX_KEPT = 1024 * 1024


def signed_in(view: View) -> View:
    """Asks a stranger to sign in first, and carries the text of a form along."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if fields := _page_fields(request.POST):
            return _ask_to_sign_in(request, fields)
        return redirect_to_login(request.get_full_path())

    return guarded


def open_to_readers(view: View) -> View:
    """Like `signed_in`, but a stranger may look at public wikis. A closed wiki looks like a missing
    one."""
    closed = signed_in(view)

    @wraps(view)
    def guarded(
        request: HttpRequest, *args: Any, wiki_slug: str = "", **kwargs: Any
    ) -> HttpResponseBase:
        words = {"wiki_slug": wiki_slug, **kwargs} if wiki_slug else kwargs
        if (
            request.method in ("GET", "HEAD")
            and not request.user.is_authenticated
            and _is_public(wiki_slug)
        ):
            return view(request, *args, **words)
        return closed(request, *args, **words)

    return guarded


def _is_public(wiki_slug: str) -> bool:
    """Of one wiki, or without a name whether there is any."""
    public = Wiki.objects.open_to(AnonymousUser())
    return (public.filter(slug=clean_text(wiki_slug)) if wiki_slug else public).exists()


def take_kept_text(request: HttpRequest) -> dict[str, str] | None:
    """The fields that were kept for this address while their author signed in; they are handed out
    once."""
    kept = request.session.get(KEPT)
    if not kept or kept["path"] != request.path:
        return None
    del request.session[KEPT]
    return kept["fields"]


class SignIn(LoginView):
    template_name = "wiki/accounts/login.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        if fields := _carried_fields(self.request):
            self.request.session[KEPT] = {"path": self.get_redirect_url(), "fields": fields}
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if form.data.get("username"):
            form.fields["username"].widget.attrs.pop("autofocus", None)
            form.fields["password"].widget.attrs["autofocus"] = True
        return super().form_invalid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            **kwargs, kept=_carried_fields(self.request), has_mail=settings.HAS_MAIL
        )


def locked_out(request: HttpRequest, response: HttpResponse, credentials: Any) -> HttpResponse:
    """After too many wrong passwords: the same form with the text that is carried along, and how
    long to wait."""
    wait: timedelta = settings.AXES_COOLOFF_TIME
    context = {
        "form": AuthenticationForm(request),
        "kept": _carried_fields(request),
        "next": request.POST.get("next", ""),
        "minutes": round(wait.total_seconds() / 60),
        "has_mail": settings.HAS_MAIL,
    }
    answer = render(request, "wiki/accounts/login.html", context, status=429)
    answer["Retry-After"] = str(round(wait.total_seconds()))
    return answer


def _carried_fields(request: HttpRequest) -> dict[str, str]:
    return _page_fields(request.POST, prefix="kept-")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuse a form from an earlier session, and hand its text back."""
    # Django has compared the origin by now; without one nobody knows where the text comes from.
    is_ours = "Origin" in request.headers and not reason.startswith("Origin")
    fields = _page_fields(request.POST) if is_ours else {}
    if not fields:
        return render(request, "403_csrf.html", status=403)
    if not request.user.is_authenticated:
        return _ask_to_sign_in(request, fields)
    return render(
        request,
        "wiki/pages/outdated_form.html",
        {"kept": fields, "action": request.path},
        status=403,
    )


def _ask_to_sign_in(request: HttpRequest, fields: dict[str, str]) -> HttpResponse:
    form, next_path = AuthenticationForm(request), request.get_full_path()
    context = {"form": form, "kept": fields, "next": next_path, "has_mail": settings.HAS_MAIL}
    return render(request, "wiki/accounts/login.html", context, status=403)


def _page_fields(posted: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The posted fields of a page form; empty without a text or with an absurdly long one."""
    fields = {
        name: str(posted[prefix + name]) for name in PageForm.base_fields if prefix + name in posted
    }
    is_usable = fields.get("body") and sum(map(len, fields.values())) <= MAX_KEPT
    return fields if is_usable else {}
