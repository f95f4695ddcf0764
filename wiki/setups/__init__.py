"""How an agent is set up to use covey: the texts beside this, filled in with an address, a token and a name.

The same files stand in docs/agents.md as they are (a test holds them together).
"""

import json
from pathlib import Path

FOLDER = Path(__file__).parent
# What stands in the files for what differs.
ADDRESS, TOKEN, AGENT = "http://127.0.0.1:8494", "covey_TOKEN", '"robin"'
SETUPS = ("environment.sh", "curl.sh", "client.py", "mcp.json", "mcp-stdio.json", "hook.sh", "node.txt")
LANGUAGES = ("en", "de")


def read_setup(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").strip()


def read_instruction(language: str) -> str:
    """What to paste into an agent's prompt."""
    return read_setup(f"instruction.{language}.md")


def fill_setup(name: str, address: str, secret: str, agent: str) -> str:
    filled = read_setup(name).replace(ADDRESS, address).replace(TOKEN, secret)
    # Last: nothing is filled into a name.
    return filled.replace(AGENT, json.dumps(agent, ensure_ascii=False))
