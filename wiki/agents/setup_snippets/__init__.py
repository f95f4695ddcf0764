"""How an agent is set up to use covey: the texts beside this, filled in with an address, a token
and whose it is.

The same files stand in docs/agents.md as they are (a test holds them together).
"""

import json
import re
import sys
from pathlib import Path

from django.conf import settings

from wiki.models import ApiToken

FOLDER = Path(__file__).parent
# What stands in the files for what differs.
ADDRESS, TOKEN = "http://127.0.0.1:8494", "covey_TOKEN"
AGENT, WIKI, SCOPE = '"--agent", "robin"', '"--wiki", "demo"', '"--scope", "write"]'
PYTHON, COMMAND = '"/path/to/covey/.venv/bin/python"', '"/path/to/covey/manage.py"'
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
# What a server over stdio must have like the covey beside it, lest it open another database or
# embed by another model. Nothing that may be secret: whoever owns a wiki reads this.
SHARED_SETTINGS = (
    "COVEY_DATA_DIR", "COVEY_BIND", "COVEY_PORT", "COVEY_PUBLIC_URL",
    "COVEY_EMBEDDING_PROVIDER", "COVEY_EMBEDDING_MODEL", "COVEY_EMBEDDING_URL", "COVEY_OLLAMA_URL",
    "COVEY_APPEND_THRESHOLD", "COVEY_RECALL_DAYS", "COVEY_RECALL_TEXT",
)  # fmt: skip


def read_snippet(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").strip()


def read_instruction(language: str) -> str:
    """What to paste into an agent's prompt."""
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
    # All at once: nothing is filled into a name.
    return re.sub(
        "|".join(map(re.escape, filled)), lambda found: filled[found[0]], read_snippet(name)
    )


def _environment() -> str:
    """What covey was started with and `.env` does not say: an agent tool that starts a server hands
    little of it on."""
    beyond = settings.SETTINGS_BEYOND_FILE
    given = {
        name: beyond[name] for name in SHARED_SETTINGS if name in beyond and "@" not in beyond[name]
    }
    if "COVEY_DATA_DIR" in given:
        given["COVEY_DATA_DIR"] = str(settings.COVEY_DATA_DIR)
    return f',\n      "env": {_json(given)}' if given else ""


def _json(value: str | dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False)
