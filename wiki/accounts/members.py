"""Members of a wiki: roles, invitations, leaving. Every wiki keeps an owner who can sign in. An
invitation is a link; its secret is shown once and kept as a hash, like a token."""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum
from typing import Any

from django.db import transaction
from django.utils import timezone

from wiki.accounts.permissions import find_membership, role_in
from wiki.models import Invitation, Membership, Role, Wiki
from wiki.text.cleaning import MAX_TITLE, clean_line


class LastOwner(Exception):
    """A wiki needs an owner."""


class Trouble(Enum):
    UNKNOWN = "unknown"
    USED = "used"
    EXPIRED = "expired"


class InvitationRefused(Exception):
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(f"This invitation is {trouble.value}.")
        self.trouble = trouble


def change_role(member: Membership, role: Role) -> None:
    """Raises LastOwner, and Membership.DoesNotExist if the member has left meanwhile."""
    with _only_change(member.wiki_id):
        member.refresh_from_db(fields=["role"])
        if role != Role.OWNER:
            _keep_an_owner_without(member)
            _withdraw_invitations_of(member)
        member.role = role
        member.save(update_fields=["role"])


def remove_member(member: Membership) -> None:
    """Raises LastOwner, and Membership.DoesNotExist if the member has left meanwhile."""
    with _only_change(member.wiki_id):
        member.refresh_from_db(fields=["role"])
        _keep_an_owner_without(member)
        _withdraw_invitations_of(member)
        member.delete()


def is_last_owner(member: Membership) -> bool:
    owners = Membership.objects.filter(wiki=member.wiki_id, role=Role.OWNER, user__is_active=True)
    return member.role == Role.OWNER and not owners.exclude(pk=member.pk).exists()


def _keep_an_owner_without(member: Membership) -> None:
    if is_last_owner(member):
        raise LastOwner


def _withdraw_invitations_of(member: Membership) -> None:
    """Close the way back in for a former owner."""
    Invitation.objects.open().filter(wiki=member.wiki_id, invited_by=member.user_id).delete()


@contextmanager
def _only_change(wiki_id: int) -> Iterator[None]:
    """Serialise changes of a wiki's members: two owners who remove each other must not both
    succeed."""
    with transaction.atomic():
        Wiki.objects.select_for_update(no_key=True).only("pk").get(pk=wiki_id)
        yield


def invite(wiki: Wiki, by: Any, role: Role, days: int, note: str = "") -> tuple[Invitation, str]:
    """The invitation and its secret, which is nowhere else."""
    secret = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        wiki=wiki,
        role=role,
        note=clean_line(note)[:MAX_TITLE],
        hash=hash_invitation(secret),
        invited_by=by,
        expires_at=timezone.now() + timedelta(days=days),
    )
    return invitation, secret


def withdraw(wiki: Wiki, invitation_id: int) -> bool:
    """Whether there was something to withdraw."""
    return bool(Invitation.objects.open().filter(wiki=wiki, pk=invitation_id).delete()[0])


def hash_invitation(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def find_invitation(hash: str) -> Invitation:
    """The usable invitation of this hash. Raises InvitationRefused."""
    invitation = Invitation.objects.select_related("wiki", "invited_by").filter(hash=hash).first()
    if invitation is None:
        raise InvitationRefused(Trouble.UNKNOWN)
    if invitation.accepted_at:
        raise InvitationRefused(Trouble.USED)
    if invitation.expires_at <= timezone.now():
        raise InvitationRefused(Trouble.EXPIRED)
    # It is worth as much as the word of who gave it.
    if (
        not invitation.invited_by.is_active
        or role_in(invitation.wiki, invitation.invited_by) != Role.OWNER
    ):
        raise InvitationRefused(Trouble.UNKNOWN)
    return invitation


def accept(invitation: Invitation, user: Any) -> bool:
    """Make the person a member and return whether that changed anything. A person with this role or
    a greater one keeps it, and the invitation stays open. Raises InvitationRefused."""
    with _only_change(invitation.wiki_id):
        fresh = find_invitation(invitation.hash)
        role, member = Role(fresh.role), find_membership(fresh.wiki, user)
        if member and Role(member.role).includes(role):
            return False
        Membership.objects.update_or_create(wiki=fresh.wiki, user=user, defaults={"role": role})
        Invitation.objects.filter(pk=fresh.pk).update(accepted_at=timezone.now(), accepted_by=user)
    return True
