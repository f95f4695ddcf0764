"""Single-use links to a new password: by mail, by an owner, by a superuser."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from wiki.models import Membership, Role, Wiki, is_superuser


class ResetRefused(Exception):
    """With the link one could take over an account with more permissions."""


class ResetTokens(PasswordResetTokenGenerator):
    """Django's tokens, valid once and for a day, that also end with the permission of their maker:
    that depends on the person's wikis and on the owners of those."""

    key_salt = "wiki.accounts.ResetTokens"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        wikis = Membership.objects.filter(user=user).values("wiki")
        owners = Membership.objects.filter(wiki__in=wikis, role=Role.OWNER).order_by("wiki", "user")
        reason = [
            user.is_active,
            user.is_staff,
            user.is_superuser,
            *wikis.order_by("wiki").values_list("wiki"),
        ]
        rows = list(owners.values_list("wiki", "user"))
        return f"{super()._make_hash_value(user, timestamp)}{reason}{rows}"


reset_tokens = ResetTokens()


def may_reset(person: User, by: User) -> bool:
    """A superuser may for everybody. An owner only where the account opens nothing that is not the
    owner's too."""
    if not person.is_active or not person.has_usable_password() or person.pk == by.pk:
        return False
    if is_superuser(by):
        return True
    if person.is_staff or person.is_superuser:
        return False
    owned = Wiki.objects.with_role(by, Role.OWNER).values("pk")
    return not Membership.objects.filter(user=person).exclude(wiki__in=owned).exists()


def make_reset_link(person: User, by: User) -> str:
    """The whole address. Raises ResetRefused."""
    if not may_reset(person, by):
        raise ResetRefused
    words = [urlsafe_base64_encode(force_bytes(person.pk)), reset_tokens.make_token(person)]
    return settings.COVEY_PUBLIC_URL + reverse("password_reset_confirm", args=words)


def send_reset_mail(address: str) -> None:
    """Mail every account with this address and a password."""
    form = PasswordResetForm({"email": address})
    if not form.is_valid():
        return
    scheme, _, host = settings.COVEY_PUBLIC_URL.partition("://")
    form.save(
        domain_override=host,
        use_https=scheme == "https",
        token_generator=reset_tokens,
        subject_template_name="wiki/accounts/reset_subject.txt",
        email_template_name="wiki/accounts/reset_mail.txt",
    )
