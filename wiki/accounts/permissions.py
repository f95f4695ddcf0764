"""Permissions in a wiki."""

from typing import NamedTuple

from django.db.models import Count, OuterRef, Subquery

from wiki.models import Membership, Person, Role, Suggestion, Wiki, is_superuser
from wiki.text.cleaning import clean_text
from wiki.text.slugs import MAX_SLUG


class Access(NamedTuple):
    """A readable wiki. `is_member`: by a membership, not as superuser or since it is public."""

    wiki: Wiki
    role: Role
    is_member: bool


def find_access(slug: str, user: Person) -> Access | None:
    """Return the wiki at this address and the person's role in it, in one query; None without
    access. The wiki has its `waiting_suggestions`, which every screen of editors shows."""
    own = Membership.objects.filter(wiki=OuterRef("pk"), user=user.pk or 0).values("role")
    waiting = (
        Suggestion.objects.open()
        .filter(wiki=OuterRef("pk"))
        .order_by()
        .values("wiki")
        .annotate(n=Count("pk"))
    )
    wikis = Wiki.objects.filter(slug=clean_text(slug)).annotate(
        own_role=Subquery(own), waiting_suggestions=Subquery(waiting.values("n"))
    )
    wiki = wikis.first() if len(slug) <= MAX_SLUG else None
    role = _role(wiki, user, wiki.own_role) if wiki else None
    return Access(wiki, role, wiki.own_role is not None) if wiki and role else None


def role_in(wiki: Wiki, user: Person) -> Role | None:
    """Return the role of a person, None without access. A superuser owns every wiki."""
    membership = find_membership(wiki, user)
    return _role(wiki, user, membership.role if membership else None)


def find_membership(wiki: Wiki, user: Person) -> Membership | None:
    return (
        Membership.objects.filter(wiki=wiki, user=user.pk).first()
        if user.is_authenticated
        else None
    )


def _role(wiki: Wiki, user: Person, own: str | None) -> Role | None:
    if is_superuser(user):
        return Role.OWNER
    if own and user.is_active:
        return Role(own)
    return Role.READER if wiki.is_public else None
