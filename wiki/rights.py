"""Who may do what in a wiki."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import OuterRef, Subquery

from wiki.models import Membership, Role, Wiki

Person = AbstractBaseUser | AnonymousUser


def role_in(wiki: Wiki, user: Person) -> Role | None:
    """The role of a person in a wiki; None for whom it does not exist. A superuser owns every wiki."""
    membership = Membership.objects.filter(wiki=wiki, user=user.pk).first() if user.is_authenticated else None
    return _role(wiki, user, membership.role if membership else None)


def enter_wiki(slug: str, user: Person) -> tuple[Wiki, Role] | None:
    """The wiki of this slug and the person's role in it, in one query; None where there is none for them."""
    own = Membership.objects.filter(wiki=OuterRef("pk"), user=user.pk or 0).values("role")
    wiki = Wiki.objects.filter(slug=slug).annotate(own_role=Subquery(own)).first()
    role = _role(wiki, user, wiki.own_role) if wiki else None
    return (wiki, role) if wiki and role else None


def _role(wiki: Wiki, user: Person, own: str | None) -> Role | None:
    if getattr(user, "is_superuser", False) and user.is_active:
        return Role.OWNER
    if own:
        return Role(own)
    return Role.READER if wiki.is_public else None
