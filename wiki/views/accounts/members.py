"""The members of a wiki, for its owners; and leaving it."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from wiki.accounts.members import (
    LastOwner,
    change_role,
    invite,
    is_last_owner,
    remove_member,
    withdraw,
)
from wiki.accounts.password_reset import ResetRefused, make_reset_link, may_reset
from wiki.accounts.permissions import find_membership, role_in
from wiki.models import Invitation, Membership, Role, Wiki
from wiki.views.forms import InvitationForm, RoleForm
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki
from wiki.views.query_parameters import posted_number

PER_SCREEN = 100
# The forms of a browser that have made an invitation, in its session.
SENT, KEPT = "invitation_forms", 40


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def members(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """The members and the open invitations."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    if request.method != "POST":
        return _screen(request, wiki, InvitationForm.fresh())
    if "withdraw" in request.POST:
        if withdraw(wiki, posted_number(request, "withdraw")):
            messages.success(request, _("The invitation is withdrawn; its link leads nowhere now."))
        return redirect("members", wiki.slug)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _screen(request, wiki, form, status=422)
    asked = form.cleaned_data
    sent = request.session.get(SENT, [])
    if asked["form_key"] in sent:
        # The page with the link was loaded again.
        return _screen(request, wiki, InvitationForm.fresh(), is_again=True, status=409)
    if asked["form_key"]:
        request.session[SENT] = [*sent, asked["form_key"]][-KEPT:]
    invitation, secret = invite(
        wiki, request.user, Role(asked["role"]), asked["days"], asked["note"]
    )
    # Shown in this answer and nowhere else.
    link = settings.COVEY_PUBLIC_URL + reverse("open_invitation", args=[secret])
    return _screen(request, wiki, InvitationForm.fresh(), made=invitation, link=link)


def _screen(
    request: HttpRequest,
    wiki: Wiki,
    form: InvitationForm,
    *,
    made: Invitation | None = None,
    link: str = "",
    is_again: bool = False,
    status: int = 200,
) -> HttpResponse:
    listed = wiki.memberships.select_related("user").order_by("user__username")
    context = frame_context(
        wiki,
        screen=Paginator(listed, PER_SCREEN).get_page(request.GET.get("page")),
        invitations=Invitation.objects.open().filter(wiki=wiki).select_related("invited_by"),
        form=form,
        made=made,
        link=link,
        is_again=is_again,
    )
    return render(request, "wiki/accounts/members.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def member(request: HttpRequest, wiki_slug: str, member_id: int) -> HttpResponse:
    """One member: another role, a new password, out."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    members = Membership.objects.filter(wiki=wiki).select_related("user", "wiki")
    shown = get_object_or_404(members, pk=member_id if member_id < 2**63 else 0)
    if request.method == "POST":
        return _change(request, shown)
    context = frame_context(
        wiki,
        member=shown,
        form=RoleForm(initial={"role": shown.role}),
        is_last=is_last_owner(shown),
        may_reset=may_reset(shown.user, _user(request)),
    )
    return render(request, "wiki/accounts/member.html", context)


def _change(request: HttpRequest, member: Membership) -> HttpResponse:
    name = member.user.get_username()
    try:
        match request.POST.get("action"):
            case "role":
                form = RoleForm(request.POST)
                if not form.is_valid():
                    return redirect("member", member.wiki.slug, member.pk)
                change_role(member, Role(form.cleaned_data["role"]))
                words = _("“{name}” has the role “{role}” now.")
                messages.success(request, words.format(name=name, role=member.get_role_display()))
            case "remove":
                remove_member(member)
                messages.success(request, _("“{name}” is out of this wiki.").format(name=name))
            case "reset":
                return _show_reset_link(request, member)
    except LastOwner:
        messages.error(request, _say_last_owner())
    except Membership.DoesNotExist:
        messages.error(request, _("“{name}” has left this wiki meanwhile.").format(name=name))
    return redirect(_after(request, member.wiki))


def _after(request: HttpRequest, wiki: Wiki) -> str:
    """Redirect to the members; to the wiki after giving up its ownership, to all wikis after
    leaving it."""
    role = role_in(wiki, request.user)
    if role == Role.OWNER:
        return reverse("members", args=[wiki.slug])
    return wiki.get_absolute_url() if role else reverse("home")


def _say_last_owner() -> str:
    return _(
        "Nothing was changed: there is no other owner, and a wiki needs one. Make somebody else an "
        "owner first."
    )


def _show_reset_link(request: HttpRequest, member: Membership) -> HttpResponse:
    try:
        link = make_reset_link(member.user, _user(request))
    except ResetRefused:
        messages.error(
            request, _("No link was made: this account opens more than the wikis that you own.")
        )
        return redirect("member", member.wiki.slug, member.pk)
    context = frame_context(member.wiki, member=member, link=link)
    return render(request, "wiki/accounts/reset_link.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Asks once, then takes the person out of the wiki."""
    wiki = find_wiki(request, wiki_slug)
    own = find_membership(wiki, request.user)
    if own is None:
        raise Http404
    if request.method != "POST":
        return render(
            request, "wiki/accounts/leave.html", frame_context(wiki, is_last=is_last_owner(own))
        )
    try:
        remove_member(own)
    except LastOwner:
        messages.error(request, _say_last_owner())
        return redirect("leave", wiki.slug)
    messages.success(request, _("You have left “{wiki}”.").format(wiki=wiki.name))
    return redirect("home")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
