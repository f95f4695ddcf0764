"""Who may do what in a wiki."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from wiki.models import Membership, Role, Wiki, WikiQuerySet

Person = AbstractBaseUser | AnonymousUser


def role_in(wiki: Wiki, user: Person) -> Role | None:
    """The role of a person in a wiki; None for whom it does not exist. A superuser owns every wiki."""
    if getattr(user, "is_superuser", False) and user.is_active:
        return Role.OWNER
    membership = Membership.objects.filter(wiki=wiki, user=user.pk).first() if user.is_authenticated else None
    if membership:
        return Role(membership.role)
    return Role.READER if wiki.is_public else None


def writable_wikis(user: Person) -> WikiQuerySet:
    """Wikis in which this person may write."""
    if getattr(user, "is_superuser", False) and user.is_active:
        return Wiki.objects.all()
    roles = [role for role in Role if role.includes(Role.EDITOR)]
    return Wiki.objects.filter(memberships__user=user.pk, memberships__role__in=roles)
