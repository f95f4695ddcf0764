"""Reads typed settings from `.env` and the process environment, and keeps what is wrong with them.

A wrong value never raises while settings load: it is kept as a Problem, so that `manage.py check`
can show all of them at once and every process that serves (`up`, web server, worker) can refuse to
start.
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

# Not for operators: where tests have their .env, the mark of what `up` starts
# (covey/child_processes.py), and what an agent on the same machine finds covey by
# (wiki/agents/setup_snippets/).
INTERNAL = ("COVEY_ENV_FILE", "COVEY_STARTED_BY_UP_ON", "COVEY_API", "COVEY_TOKEN")


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
                self.refuse(
                    "covey.E001", f"{env_file} cannot be read: {error}.", "Save it as UTF-8 text."
                )

    def refuse(self, id: str, message: str, hint: str) -> None:
        self.problems.append(Problem(id, message, hint))

    def text(self, name: str, default: str = "") -> str:
        """The value without surrounding blanks; an empty value means unset."""
        self._read.add(name)
        return self._env.str(name, default="").strip() or default

    def beyond_file(self) -> dict[str, str]:
        """The variables in use that another process would not find in `.env`: it has to be handed
        them."""
        given = {name: os.environ.get(name, "").strip() for name in self._read}
        return {
            name: value
            for name, value in given.items()
            if value and value != self._file.get(name, "").strip()
        }

    def misspelt(self) -> Iterator[tuple[str, str]]:
        """The variables that look like covey's and were never read, each with the known one nearest
        to it, if any."""
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
        self.refuse(
            id, f"{name}={value} is not usable.", f"Use a whole number from {minimum} to {maximum}."
        )
        return default

    def time_zone(self, name: str, id: str) -> str:
        """The name of a time zone; by default the machine's, UTC where that has none."""
        value = self.text(name)
        for zone in (value,) if value else (os.environ.get("TZ", ""), _zone_of_machine()):
            if _is_zone(zone):
                return zone
        if value:
            self.refuse(
                id, f"{name}={value} is no time zone.", "Use a name such as Europe/Berlin, or UTC."
            )
        return "UTC"

    def similarity(self, name: str, default: float, id: str) -> float:
        value = self.text(name, str(default))
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if 0 < number <= 1:
            return number
        self.refuse(
            id,
            f"{name}={value} is not a similarity.",
            "Use a number above 0 and up to 1, such as 0.80.",
        )
        return default

    def web_address(self, name: str, default: str, id: str, example: str) -> str:
        """An http or https address without a trailing slash; empty when neither value nor default
        is given."""
        value = self.text(name, default)
        if not value:
            return ""
        try:
            parts = urlsplit(value)
            usable = (
                parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
            )
        except ValueError:
            usable = False
        if usable:
            return value.rstrip("/")
        self.refuse(
            id,
            f"{name} is not a web address.",
            f"Write it with http:// or https://, such as {example}.",
        )
        return default

    def database(self, name: str, id: str) -> dict[str, object]:
        """Django's settings for the database at this URL; empty when the variable is unset."""
        value = self.text(name)
        if not value:
            return {}
        if value.split("://")[0] in ("postgres", "postgresql", "psql", "pgsql"):
            try:
                return dict(environ.Env.db_url_config(value))
            except ValueError:
                pass
        self.refuse(
            id,
            f"{name} is not a PostgreSQL address.",
            "Write it as postgres://user:password@host:5432/name.",
        )
        return {}

    def mail_server(self, name: str, id: str) -> MailServer:
        """The server of an address like smtp://user:password@host:587; without a host when the
        variable is unset.

        smtps:// speaks TLS from the first byte. smtp:// changes over to TLS as soon as there is a
        password to send.
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
            # The value has a password in it and is not repeated.
            self.refuse(
                id,
                f"{name} is not a mail server.",
                "Write it as smtp://user:password@mail.example.org:587.",
            )
            return MailServer()
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        is_tls = parts.scheme == "smtps"
        usual = 465 if is_tls else 587 if user else 25
        return MailServer(
            host,
            port or usual,
            user,
            password,
            use_starttls=bool(user) and not is_tls,
            use_tls=is_tls,
        )

    def mail_address(self, name: str, default: str, id: str) -> str:
        """An address with or without a name before it."""
        value = self.text(name, default)
        local, at, domain = parseaddr(value)[1].partition("@")
        if local and at and domain and value.isprintable():
            return value
        self.refuse(
            id, f"{name}={value!r} is not a mail address.", "Write it as covey <wiki@example.org>."
        )
        return default

    def header(self, name: str, id: str, example: str) -> str:
        """The name of an HTTP header; empty when the variable is unset."""
        value = self.text(name)
        if not value or re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*", value):
            return value
        self.refuse(
            id,
            f"{name}={value!r} is not the name of a header.",
            f"Use letters and hyphens, as in {example}.",
        )
        return ""


def _zone_of_machine() -> str:
    return os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]


def _is_zone(name: str) -> bool:
    try:
        return bool(name) and bool(ZoneInfo(name))
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
