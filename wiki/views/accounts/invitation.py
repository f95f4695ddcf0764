"""An opened invitation: join, or make an account first and join."""

from django.contrib import messages
from django.contrib.auth import login
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from wiki.accounts.members import (
    InvitationRefused,
    Trouble,
    accept,
    find_invitation,
    hash_invitation,
)
from wiki.models import Invitation
from wiki.views.forms import AccountForm

KEPT = "invitation"
WITH_PASSWORD = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_safe
def open_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Redirect to an address without the secret, so that no referrer, form or later log line has
    it.

    The session keeps the hash, as the database does.
    """
    request.session[KEPT] = hash_invitation(secret)
    response = redirect("invitation")
    response["Referrer-Policy"] = "no-referrer"
    return response


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest) -> HttpResponse:
    try:
        found = find_invitation(request.session.get(KEPT, ""))
        if request.method != "POST":
            return _show(request, found, AccountForm())
        return (
            _join(request, found)
            if request.user.is_authenticated
            else _make_account(request, found)
        )
    except InvitationRefused as refused:
        return _refuse(request, refused.trouble)


def _show(
    request: HttpRequest, found: Invitation, form: AccountForm, status: int = 200
) -> HttpResponse:
    return render(
        request, "wiki/accounts/invitation.html", {"invitation": found, "form": form}, status=status
    )


def _refuse(request: HttpRequest, trouble: Trouble) -> HttpResponse:
    status = 404 if trouble == Trouble.UNKNOWN else 410
    return render(
        request, "wiki/accounts/invitation_refused.html", {"trouble": trouble.value}, status=status
    )


def _make_account(request: HttpRequest, found: Invitation) -> HttpResponse:
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form, status=422)
    try:
        # No account without a wiki: an invitation that was used a moment ago makes none.
        with transaction.atomic():
            user = form.save()
            accept(found, user)
    except IntegrityError:
        form.add_error("username", _("This name was taken a moment ago."))
        return _show(request, found, form, status=422)
    login(request, user, backend=WITH_PASSWORD)
    return _welcome(request, found)


def _join(request: HttpRequest, found: Invitation) -> HttpResponse:
    if accept(found, request.user):
        return _welcome(request, found)
    del request.session[KEPT]
    words = _("You are in “{wiki}” already; the invitation is still good for somebody else.")
    messages.info(request, words.format(wiki=found.wiki.name))
    return redirect(found.wiki)


def _welcome(request: HttpRequest, found: Invitation) -> HttpResponse:
    del request.session[KEPT]
    words = _("Welcome to “{wiki}”. Your role: {role}.")
    messages.success(request, words.format(wiki=found.wiki.name, role=found.get_role_display()))
    return redirect(found.wiki)
