"""What the README says of covey is so."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.api_client import API
from wiki.agents.tokens import create_token
from wiki.models import Agent, Wiki
from wiki.pages.author import Author
from wiki.pages.write import create_page

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.django_db(transaction=True)
def test_the_first_five_minutes_work_pasted_as_they_are(live_server) -> None:
    wiki = Wiki.objects.create(slug="demo", name="Betrieb")
    agent = Agent.objects.create(name="robin", home_wiki=wiki)
    body = "No space left on device: the nightly backup fails."
    create_page(wiki, title="Nightly backup fails", body=body, author=Author.of_agent(agent))
    _, secret = create_token(agent, wiki)
    lines = [block for block in re.findall(r"^```sh\n(.*?)\n```$", README, re.DOTALL | re.MULTILINE) if "$API" in block]
    script = f"API={live_server.url}{API}\nTOKEN={secret}\n" + "\necho\n".join(lines)
    run = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    recalled, filed, marked, asked = (json.loads(line) for line in run.stdout.splitlines() if line)
    assert recalled["pages"][0]["title"] == "Nightly backup fails"
    assert (filed["outcome"], marked["useful"], asked["degraded"]) == ("created", True, False)
