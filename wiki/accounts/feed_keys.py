"""Keys for feed readers, which cannot sign in: a key in the address reads as its person."""

import re
import secrets

from django.contrib.auth.models import User
from django.core.signing import Signer
from django.utils.crypto import constant_time_compare

from wiki.models import FeedKey, Person

_SALT = "wiki.feeds"
_KEY = re.compile(r"([1-9][0-9]{0,17})-([\w-]{20,100})", re.ASCII)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def find_key(user: Person) -> str:
    """The person's key; empty as long as they have not asked for one."""
    row = FeedKey.objects.filter(user=user.pk).first()
    return f"{user.pk}-{_sign(row)}" if row else ""


def renew_key(user: User) -> None:
    """Give the person a key and revoke the former one."""
    FeedKey.objects.update_or_create(user=user, defaults={"nonce": secrets.token_urlsafe(32)})


def find_reader(key: str) -> User | None:
    """Return the active person of this key. Permissions are checked as for anybody."""
    match = _KEY.fullmatch(key)
    row = (
        FeedKey.objects.select_related("user").filter(user=int(match[1])).first() if match else None
    )
    if match is None or row is None or not constant_time_compare(match[2], _sign(row)):
        return None
    return row.user if row.user.is_active else None


def _sign(row: FeedKey) -> str:
    return Signer(salt=_SALT).signature(f"{row.user_id}:{row.nonce}")


def xml_text(text: str) -> str:
    """The text without the characters that no XML document may have, escaped or not."""
    return _NOT_XML.sub("\ufffd", text)
