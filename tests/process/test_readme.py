"""What stands in the documents to be pasted works, pasted as it is."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.api_client import API
from tests.support.documents import DOCUMENTS
from tests.support.writing import create_page
from wiki.agents.api_tokens import create_token
from wiki.models import Agent, Wiki
from wiki.pages.author import Author


def shell_blocks(name: str) -> list[str]:
    """Those that call the API."""
    blocks = re.findall(r"^```sh\n(.*?)\n```$", DOCUMENTS[name], re.DOTALL | re.MULTILINE)
    return [block for block in blocks if "$COVEY_API/" in block and "#!" not in block]


def read_answers(output: str) -> Iterator[Any]:
    while output := output.lstrip():
        answer, end = json.JSONDecoder().raw_decode(output)
        output = output[end:]
        yield answer


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.django_db(transaction=True)
def test_the_first_five_minutes_work_pasted_as_they_are(live_server) -> None:
    wiki = Wiki.objects.create(slug="demo", name="Betrieb")
    agent = Agent.objects.create(name="robin", home_wiki=wiki)
    body = "No space left on device: the nightly backup fails."
    create_page(wiki, title="Nightly backup fails", body=body, author=Author.of_agent(agent))
    _, secret = create_token(agent, wiki)
    lines = [
        block
        for name in ("README.md", "docs/agents.md", "docs/embeddings.md")
        for block in shell_blocks(name)
    ]
    script = f"COVEY_API={live_server.url}{API}\nCOVEY_TOKEN={secret}\n" + "\n".join(lines)
    run = subprocess.run(
        ["sh", "-euc", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    recalled, filed, recalled_again, filed_again, marked, asked = read_answers(run.stdout)
    for answer in (recalled, recalled_again):
        assert answer["pages"][0]["title"] == "Nightly backup fails"
    assert (filed["outcome"], filed_again["outcome"]) == ("created", "known")
    assert (marked["useful"], asked["degraded"]) == (True, False)
