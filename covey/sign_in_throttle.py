"""Limits on password attempts: what axes counts by, and how little it stores."""

import hashlib
import re
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

# Wrong passwords from one address, for any names, until it is locked out.
FAILURES_OF_AN_ADDRESS = 50
_WITH_PORT = re.compile(
    r"\[(?P<v6>[0-9A-Fa-f:.%]{2,60})\](?::\d{1,5})?|(?P<v4>[\d.]{7,15}):\d{1,5}"
)
# Attributes that the handler sets on a request for axes' middleware.
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
        """Count the failure without the form, whose fields axes would store."""
        bare = copy(request)
        if bare is None or request is None:
            return
        bare.GET, bare.POST = QueryDict(), QueryDict()
        super().user_login_failed(sender, credentials, bare, **kwargs)
        for name in _AXES_ATTRIBUTES:
            setattr(request, name, getattr(bare, name))


def _is_spraying(request: HttpRequest) -> bool:
    """Whether one address tries many names; never on loopback, which all users may share."""
    address = request.axes_ip_address  # type: ignore[attr-defined]
    if address is None or ip_address(address).is_loopback:
        return False
    recent = AccessAttempt.objects.filter(
        ip_address=address, attempt_time__gte=get_cool_off_threshold(request)
    )
    failures = recent.aggregate(failures=Sum("failures_since_start"))["failures"] or 0
    return failures >= FAILURES_OF_AN_ADDRESS


def client_address(request: HttpRequest) -> str | None:
    """Return the client's address, or its /64 network for IPv6, of which one machine has all.

    With https, a proxy on a private address is trusted for the last entry of X-Forwarded-For; a
    client can write the entries before it.
    """
    peer = request.META.get("REMOTE_ADDR", "")
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
    if (
        settings.IS_HTTPS
        and is_private_address(peer)
        and (address := _normalise(_without_port(forwarded)))
    ):
        return address
    return _normalise(peer)


def _without_port(entry: str) -> str:
    """Some proxies write `1.2.3.4:5555`, or an IPv6 address in brackets."""
    found = _WITH_PORT.fullmatch(entry)
    return found["v6"] or found["v4"] if found else entry


def is_private_address(peer: str) -> bool:
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
    """Return a hash to count a name by, because it may be a password in the wrong field."""
    name = str((credentials or {}).get("username") or "")
    return hashlib.sha256(name.encode(errors="replace")).hexdigest()


def is_no_password(request: HttpRequest, credentials: Mapping[str, Any] | None) -> bool:
    """Exempt a sign-in by the proxy, which guesses nothing."""
    return "remote_user" in (credentials or {})
