"""The key that signs sessions and links, unless the environment has one."""

import os
import secrets
from pathlib import Path

from covey.embedded.locks import make_home
from covey.environment import Environment


def read_secret_key(path: Path, environment: Environment) -> str:
    """Return the key in this file, made when missing; report an unusable file as a Problem."""
    try:
        return path.read_text().strip() or _make(path, environment)
    except FileNotFoundError:
        return _make(path, environment)
    except OSError as error:
        hint = "Run covey as the owner of COVEY_DATA_DIR."
        environment.refuse("covey.E032", f"{path} cannot be read: {error.strerror}.", hint)
        return secrets.token_urlsafe(50)


def _make(path: Path, environment: Environment) -> str:
    key = secrets.token_urlsafe(50)
    # Linked into place whole, so that two concurrent processes agree on one key.
    draft = path.with_name(f"secret_key.{os.getpid()}")
    try:
        make_home(path.parent)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(key)
        try:
            os.link(draft, path)
        except FileExistsError:
            key = path.read_text().strip()
        draft.unlink()
    except OSError as error:
        problem = f"COVEY_DATA_DIR={path.parent} cannot be written: {error.strerror}."
        environment.refuse("covey.E033", problem, "Choose a folder that you own.")
    return key
