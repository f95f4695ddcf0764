"""Permissions of a request in the wiki that its address names."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from wiki.accounts.permissions import Access, find_access
from wiki.models import (
    Membership,
    Role,
    Wiki,
)

# Of those who could help somebody further.
OWNERS_NAMED = 5


def find_wiki(request: HttpRequest, slug: str, needed: Role = Role.READER) -> Wiki:
    """Return the wiki for a person with at least this role in it.

    Sets `request.role`, and `request.is_member` for people who could leave it. Raises Http404 for a
    person who may not read it, PermissionDenied for a lower role.
    """
    access = find_access(slug, request.user)
    if access is None:
        raise Http404
    request.role, request.is_member = access.role, access.is_member  # type: ignore[attr-defined]
    if not access.role.includes(needed):
        request.refusal = Refusal(needed, access)  # type: ignore[attr-defined]
        raise PermissionDenied
    return access.wiki


@dataclass(frozen=True)
class Refusal:
    """The missing role, and the people who could grant it."""

    needed: Role
    access: Access

    @property
    def owners(self) -> str:
        """Names of the owners, for members alone."""
        if not self.access.is_member:
            return ""
        owners = Membership.objects.filter(
            wiki=self.access.wiki, role=Role.OWNER, user__is_active=True
        )
        people = [owner.user for owner in owners.select_related("user")[:OWNERS_NAMED]]
        return ", ".join(person.get_full_name() or person.get_username() for person in people)


def may(request: HttpRequest, needed: Role) -> bool:
    """Whether the person may do this in the wiki that `find_wiki` found."""
    role: Role | None = getattr(request, "role", None)
    return role is not None and role.includes(needed)


def sees_recalls(request: HttpRequest) -> bool:
    """Queries of agents are for members, not for every reader of a public wiki."""
    return getattr(request, "is_member", False) or may(request, Role.EDITOR)


def rights(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the person's rights in the wiki on the screen."""
    return {
        "may_edit": may(request, Role.EDITOR),
        "may_own": may(request, Role.OWNER),
        "is_member": getattr(request, "is_member", False),
        "refusal": getattr(request, "refusal", None),
    }
