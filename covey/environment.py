"""Read typed settings from `.env` and the process environment.

A wrong value never raises: it becomes a Problem, so that `manage.py check` shows all of them and
`up`, web server and worker refuse to start. The default takes its place.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ

# Not for operators: the .env of tests, the mark on children of `up` (covey/child_processes.py),
# and an agent's address and token on the same machine (wiki/agents/setup_snippets/).
INTERNAL = ("COVEY_ENV_FILE", "COVEY_STARTED_BY_UP_ON", "COVEY_API", "COVEY_TOKEN")


class Default(float):
    """A number that nobody has set: a rule may demand more."""


class Auto(Default):
    """The default beside the value `auto`: a rule may also demand less."""


@dataclass(frozen=True)
class Problem:
    id: str
    message: str
    hint: str


@dataclass(frozen=True)
class MailServer:
    """Empty host: covey sends no mail."""

    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    use_starttls: bool = False
    use_tls: bool = False


class Environment:
    def __init__(self, env_file: Path) -> None:
        self._env = environ.Env()
        self.problems: list[Problem] = []
        self._read: set[str] = set()
        self._file: dict[str, str] = {}
        if env_file.is_file():
            try:
                alone: type[environ.Env] = type("EnvFile", (environ.Env,), {"ENVIRON": self._file})
                alone.read_env(str(env_file))
                self._env.read_env(str(env_file), overwrite=False)
            except (OSError, UnicodeDecodeError) as error:
                problem = f"{env_file} cannot be read: {error}."
                self.refuse("covey.E001", problem, "Save it as UTF-8 text.")

    def refuse(self, id: str, message: str, hint: str) -> None:
        self.problems.append(Problem(id, message, hint))

    def text(self, name: str, default: str = "") -> str:
        """Return the stripped value; an empty one means unset."""
        self._read.add(name)
        return self._env.str(name, default="").strip() or default

    def beyond_file(self) -> dict[str, str]:
        """Return the known variables whose value in the environment is not that of `.env`."""
        given = {name: os.environ.get(name, "").strip() for name in self._read}
        known = {name: value.strip() for name, value in self._file.items()}
        return {name: value for name, value in given.items() if value not in ("", known.get(name))}

    def misspelt(self) -> Iterator[tuple[str, str]]:
        """Yield each COVEY_ variable that was never read, with the nearest known name or ""."""
        for name in sorted(os.environ):
            if name.startswith("COVEY_") and name not in self._read and name not in INTERNAL:
                yield name, next(iter(get_close_matches(name, sorted(self._read), 1)), "")

    def choice(self, name: str, default: str, choices: Sequence[str], id: str) -> str:
        value = self.text(name, default)
        if value in choices:
            return value
        self.refuse(id, f"{name}={value} is not known.", f"Use one of: {', '.join(choices)}.")
        return default

    def whole_number(self, name: str, default: int, minimum: int, maximum: int, id: str) -> int:
        value = self.text(name, str(default))
        if value.isascii() and value.isdigit() and minimum <= int(value) <= maximum:
            return int(value)
        hint = f"Use a whole number from {minimum} to {maximum}."
        self.refuse(id, f"{name}={value} is not usable.", hint)
        return default

    def time_zone(self, name: str, id: str) -> str:
        """Return the name of a time zone; by default the machine's, else UTC."""
        value = self.text(name)
        for zone in (value,) if value else (os.environ.get("TZ", ""), _zone_of_machine()):
            if _is_zone(zone):
                return zone
        if value:
            hint = "Use a name such as Europe/Berlin, or UTC."
            self.refuse(id, f"{name}={value} is no time zone.", hint)
        return "UTC"

    def similarity(self, name: str, default: float, id: str) -> float:
        """Return a Default when unset, and Auto for `auto`."""
        value = self.text(name)
        if value in ("", "auto"):
            return Auto(default) if value else Default(default)
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if 0 < number <= 1:
            return number
        hint = "Use a number above 0 and up to 1, such as 0.80, or auto."
        self.refuse(id, f"{name}={value} is not a similarity.", hint)
        return Default(default)

    def web_address(self, name: str, default: str, id: str, example: str) -> str:
        """Return an http or https address without a trailing slash, or ""."""
        value = self.text(name, default)
        if not value:
            return ""
        try:
            parts = urlsplit(value)
            is_http = parts.scheme in ("http", "https")
            if is_http and parts.hostname and (parts.port or 1) > 0:
                return value.rstrip("/")
        except ValueError:
            pass
        hint = f"Write it with http:// or https://, such as {example}."
        self.refuse(id, f"{name} is not a web address.", hint)
        return default

    def database(self, name: str, id: str) -> dict[str, object]:
        """Return Django's settings for the database at this URL; empty when unset."""
        value = self.text(name)
        if not value:
            return {}
        if value.split("://")[0] in ("postgres", "postgresql", "psql", "pgsql"):
            try:
                return dict(environ.Env.db_url_config(value))
            except ValueError:
                pass
        hint = "Write it as postgres://user:password@host:5432/name."
        self.refuse(id, f"{name} is not a PostgreSQL address.", hint)
        return {}

    def mail_server(self, name: str, id: str) -> MailServer:
        """Read smtp://user:password@host:587; without a host when unset.

        smtps:// is TLS from the first byte; smtp:// with a user is STARTTLS.
        """
        value = self.text(name)
        if not value:
            return MailServer()
        try:
            parts = urlsplit(value)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port, parts = "", None, urlsplit("")
        if not host or parts.scheme not in ("smtp", "smtps") or parts.path.strip("/"):
            # The value, which has a password in it, is not repeated.
            hint = "Write it as smtp://user:password@mail.example.org:587."
            self.refuse(id, f"{name} is not a mail server.", hint)
            return MailServer()
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        is_tls = parts.scheme == "smtps"
        usual = 465 if is_tls else 587 if user else 25
        return MailServer(host, port or usual, user, password, bool(user) and not is_tls, is_tls)

    def mail_address(self, name: str, default: str, id: str) -> str:
        """Return an address, with or without a name before it."""
        value = self.text(name, default)
        local, at, domain = parseaddr(value)[1].partition("@")
        if local and at and domain and value.isprintable():
            return value
        hint = "Write it as covey <wiki@example.org>."
        self.refuse(id, f"{name}={value!r} is not a mail address.", hint)
        return default

    def header(self, name: str, id: str, example: str) -> str:
        """Return the name of an HTTP header, or ""."""
        value = self.text(name)
        if not value or re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*", value):
            return value
        hint = f"Use letters and hyphens, as in {example}."
        self.refuse(id, f"{name}={value!r} is not the name of a header.", hint)
        return ""


def _zone_of_machine() -> str:
    return os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]


def _is_zone(name: str) -> bool:
    try:
        return bool(name) and bool(ZoneInfo(name))
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
