"""Sign-in by an authenticating proxy, which names the user in COVEY_PROXY_USER_HEADER.

Every client of covey's port can write that header too. It is trusted only from loopback, or from a
private address where covey itself is bound to loopback (as in a container); the proxy has to
remove it from requests.
"""

import logging
import unicodedata
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import RemoteUserMiddleware
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from covey.sign_in_throttle import is_private_address
from wiki.api.problems import API_PREFIX

logger = logging.getLogger(__name__)

MAX_NAME = User._meta.get_field("username").max_length or 0


class ProxyUserBackend(RemoteUserBackend):
    def configure_user(self, request: HttpRequest | None, user: Any, created: bool = True) -> Any:
        """Give a new account no password, so that none can be guessed or reset by a link."""
        if created:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return user


class ProxyUserMiddleware(RemoteUserMiddleware):
    """Sign in the named user, in a session; a new name becomes an account without wikis.

    Without the header, sessions that began by it end; passwords still work.
    """

    header = "covey.proxy_user"

    def process_request(self, request: HttpRequest) -> None:
        # Agents come with tokens.
        if request.path_info.startswith(API_PREFIX):
            return
        request.META.pop(self.header, None)
        if name := _named_by_proxy(request):
            request.META[self.header] = name
        request.is_named_by_proxy = bool(name)  # type: ignore[attr-defined]
        super().process_request(request)


def _named_by_proxy(request: HttpRequest) -> str:
    """Return a username; "" for a missing, untrusted or invalid one."""
    key = "HTTP_" + settings.COVEY_PROXY_USER_HEADER.upper().replace("-", "_")
    raw = request.META.get(key, "").strip()
    if not raw or not is_trusted(request.META.get("REMOTE_ADDR", "")):
        return ""
    try:
        given = unicodedata.normalize("NFC", raw.encode("latin-1").decode())
        name = User.normalize_username(given)
        UnicodeUsernameValidator()(name)
    except (UnicodeError, ValidationError):
        logger.warning("The proxy named somebody whose name cannot be that of an account.")
        return ""
    if name != given:
        # To the proxy they are two, and anybody may have taken the one in other letters.
        logger.warning("The proxy named somebody in letters that stand for others.")
        return ""
    return name if len(name) <= MAX_NAME else ""


def is_trusted(peer: str) -> bool:
    return _is_loopback(peer) or (_is_loopback(settings.COVEY_BIND) and is_private_address(peer))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
