"""What the README says of covey is so."""

import re
from pathlib import Path

from wiki.mcp.tools import TOOLS

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_it_names_every_tool() -> None:
    [sentence] = re.findall(r"with the tools (.*?): at", README, re.DOTALL)
    assert re.findall(r"`(\w+)`", sentence) == list(TOOLS)
