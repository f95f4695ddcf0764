"""Who may do what in a wiki."""

from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from wiki.models import Membership, Role, Wiki
from wiki.slugs import MAX_SLUG
from wiki.text import clean_text

Person = AbstractBaseUser | AnonymousUser


class Access(NamedTuple):
    """A wiki that somebody may at least read. `is_member`: by a membership, not as superuser or since it is public."""

    wiki: Wiki
    role: Role
    is_member: bool


def find_access(slug: str, user: Person) -> Access | None:
    """The wiki at this address and what the person may do in it; None for whom it does not exist."""
    wiki = Wiki.objects.filter(slug=clean_text(slug)).first() if len(slug) <= MAX_SLUG else None
    if wiki is None:
        return None
    membership = find_membership(wiki, user)
    role = _role(wiki, user, membership)
    return Access(wiki, role, membership is not None) if role else None


def role_in(wiki: Wiki, user: Person) -> Role | None:
    """The role of a person in a wiki; None for whom it does not exist. A superuser owns every wiki."""
    return _role(wiki, user, find_membership(wiki, user))


def find_membership(wiki: Wiki, user: Person) -> Membership | None:
    return Membership.objects.filter(wiki=wiki, user=user.pk).first() if user.is_authenticated else None


def is_superuser(user: Person) -> bool:
    return user.is_active and bool(getattr(user, "is_superuser", False))


def _role(wiki: Wiki, user: Person, membership: Membership | None) -> Role | None:
    if is_superuser(user):
        return Role.OWNER
    if membership and user.is_active:
        return Role(membership.role)
    return Role.READER if wiki.is_public else None
