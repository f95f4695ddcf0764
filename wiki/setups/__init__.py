"""How an agent is set up to use covey: the texts beside this, filled in with an address, a token and
whose it is.

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
AGENT, WIKI, SCOPE = '"--agent", "robin"', '"--wiki", "demo"', '"--scope", "write"'
PYTHON, COMMAND = '"/path/to/covey/.venv/bin/python"', '"/path/to/covey/manage.py"'
SETUPS = ("environment.sh", "curl.sh", "client.py", "mcp.json", "mcp-stdio.json", "hook.sh", "node.txt")
LANGUAGES = ("en", "de")


def read_setup(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").strip()


def read_instruction(language: str) -> str:
    """What to paste into an agent's prompt."""
    return read_setup(f"instruction.{language}.md")


def fill_setup(name: str, address: str, secret: str, token: ApiToken) -> str:
    filled = {
        ADDRESS: address,
        TOKEN: secret,
        AGENT: f'"--agent", {_json(token.agent.name)}',
        WIKI: f'"--wiki", {_json(token.wiki.slug)}',
        SCOPE: f'"--scope", {_json(token.scope)}',
        PYTHON: _json(sys.executable),
        COMMAND: _json(str(settings.BASE_DIR / "manage.py")),
    }
    # All at once: nothing is filled into a name.
    return re.sub("|".join(map(re.escape, filled)), lambda found: filled[found[0]], read_setup(name))


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
