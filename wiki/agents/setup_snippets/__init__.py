"""Snippets that set up an agent: the files in this folder, filled in with an address and a token.

docs/agents.md has the same files (a test compares them).
"""

import json
import re
import sys
from pathlib import Path

from django.conf import settings

from wiki.models import ApiToken

FOLDER = Path(__file__).parent
# Placeholders in the files.
ADDRESS = "http://127.0.0.1:8494"
TOKEN = "covey_TOKEN"
AGENT = '"--agent", "robin"'
WIKI = '"--wiki", "demo"'
SCOPE = '"--scope", "write"]'
PYTHON = '"/path/to/covey/.venv/bin/python"'
COMMAND = '"/path/to/covey/manage.py"'
SNIPPETS = (
    "environment.sh",
    "curl.sh",
    "client.py",
    "mcp.json",
    "mcp-stdio.json",
    "hook.sh",
    "node.txt",
)
LANGUAGES = ("en", "de")
# Settings that an MCP server over stdio must share with covey, lest it open another database or
# embed by another model. None may be secret, because owners of wikis read them.
SHARED_SETTINGS = (
    "COVEY_DATA_DIR", "COVEY_BIND", "COVEY_PORT", "COVEY_PUBLIC_URL",
    "COVEY_EMBEDDING_PROVIDER", "COVEY_EMBEDDING_MODEL", "COVEY_EMBEDDING_URL", "COVEY_OLLAMA_URL",
    "COVEY_APPEND_THRESHOLD", "COVEY_RECALL_DAYS", "COVEY_RECALL_TEXT",
)  # fmt: skip


def read_snippet(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").strip()


def read_instruction(language: str) -> str:
    """Return the paragraph for an agent's prompt."""
    return read_snippet(f"instruction.{language}.md")


def fill_snippet(name: str, address: str, secret: str, token: ApiToken) -> str:
    filled = {
        ADDRESS: address,
        TOKEN: secret,
        AGENT: f'"--agent", {_json(token.agent.name)}',
        WIKI: f'"--wiki", {_json(token.wiki.slug)}',
        SCOPE: f'"--scope", {_json(token.scope)}]{_environment()}',
        PYTHON: _json(sys.executable),
        COMMAND: _json(str(settings.BASE_DIR / "manage.py")),
    }
    # All at once, lest a name that contains a placeholder is filled in.
    placeholders = "|".join(map(re.escape, filled))
    return re.sub(placeholders, lambda found: filled[found[0]], read_snippet(name))


def _environment() -> str:
    """Return the settings that are not in `.env`, which an MCP client would not pass on."""
    beyond = {n: v for n, v in settings.SETTINGS_BEYOND_FILE.items() if not {"@", "?"} & set(v)}
    given = {name: beyond[name] for name in SHARED_SETTINGS if name in beyond}
    if "COVEY_DATA_DIR" in given:
        given["COVEY_DATA_DIR"] = str(settings.COVEY_DATA_DIR)
    return f',\n      "env": {_json(given)}' if given else ""


def _json(value: str | dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False)
