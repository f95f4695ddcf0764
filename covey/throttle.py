"""How often somebody may try a password: axes counts; this says whom it counts, and what it keeps
of them."""

import hashlib
from collections.abc import Mapping
from copy import copy
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest, QueryDict

# Wrong passwords from one address, for whatever names, until it is refused altogether.
FAILURES_OF_AN_ADDRESS = 50
# What the handler leaves on a request for axes' middleware.
_AXES_ATTRIBUTES = ("axes_locked_out", "axes_credentials", "axes_failures_since_start")


class PasswordThrottle(AxesDatabaseHandler):
    def is_locked(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        return super().is_locked(request, credentials) or _is_spraying(request)

    def user_login_failed(
        self,
        sender: Any,
        credentials: dict[str, Any],
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> None:
        """Counts it without the form: axes would store its fields, and a text may be carried along
        in them."""
        bare = copy(request)
        if bare is None or request is None:
            return
        bare.GET, bare.POST = QueryDict(), QueryDict()
        super().user_login_failed(sender, credentials, bare, **kwargs)
        for name in _AXES_ATTRIBUTES:
            setattr(request, name, getattr(bare, name))


def _is_spraying(request: HttpRequest) -> bool:
    """Whether one address tries many names. On loopback everybody has the same one: there only
    names count."""
    address = request.axes_ip_address  # type: ignore[attr-defined]
    if address is None or ip_address(address).is_loopback:
        return False
    recent = AccessAttempt.objects.filter(
        ip_address=address, attempt_time__gte=get_cool_off_threshold(request)
    )
    failures = recent.aggregate(failures=Sum("failures_since_start"))["failures"] or 0
    return failures >= FAILURES_OF_AN_ADDRESS


def client_address(request: HttpRequest) -> str | None:
    """Where a request comes from; the network of it for IPv6, of which one machine has as many
    addresses as it likes.

    With https there is a proxy before covey. What that one has appended to X-Forwarded-For is
    believed, if the peer can be it at all; what stands to the left of it, anybody can write.
    """
    peer = request.META.get("REMOTE_ADDR", "")
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
    if settings.IS_HTTPS and is_private_address(peer) and (address := _normalise(forwarded)):
        return address
    return _normalise(peer)


def is_private_address(peer: str) -> bool:
    """Whether this address is of this machine or of a private network."""
    try:
        return ip_address(peer).is_private
    except ValueError:
        return False


def _normalise(text: str) -> str | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return str(address.ipv4_mapped)
    if isinstance(address, IPv6Address) and not address.is_loopback:
        return str(ip_network((int(address), 64), strict=False).network_address)
    return str(address)


def name_key(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """Under which a name is counted: not the name itself, for it may be a password in the wrong
    field."""
    name = str((credentials or {}).get("username") or "")
    return hashlib.sha256(name.encode(errors="replace")).hexdigest()


def is_no_password(request: HttpRequest, credentials: Mapping[str, Any] | None) -> bool:
    """Who is handed in by a proxy guesses nothing."""
    return "remote_user" in (credentials or {})
