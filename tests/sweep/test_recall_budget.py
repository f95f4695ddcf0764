"""The Markdown block of a recall keeps to its budget whatever stands on the pages."""

import pytest

from tests.support.thorough import pairs
from wiki.models import Wiki
from wiki.recall.prompt.token_estimate import estimate_tokens

MARKDOWN = "text/markdown"


@pytest.fixture
def block(api):
    """The block for a query: block("Pipeline", budget=300)"""

    def ask(query, **more):
        answer = api.post("/recall", {"query": query, **more}, headers={"Accept": MARKDOWN})
        assert answer.status_code == 200, answer.content
        return answer.content.decode()

    return ask


FILLINGS = {
    "latin": "Der Proxy verwirft große Antworten; see /var/log/proxy.log (17 lines). ",
    "japanese": "夜間バックアップが失敗した場合は、中断されたダンプを削除してください。",
    "emoji": "🎉🚀👩‍👩‍👧‍👦 ",
    "one word": "A",
    "lines": "- x\n",
    "blanks": " \n\n",
}


@pytest.mark.parametrize(("filling", "budget"), pairs(FILLINGS, [200, 201, 350, 777, 2000, 20_000]))
def test_the_block_never_exceeds_its_budget(write, block, wiki, filling, budget):
    text = FILLINGS[filling]
    for number in range(9):
        write(
            f"Proxy {number} {text[:60]}".replace("\n", " "),
            "Proxy " + text * (4 ** (number % 5) * 3),
        )
    Wiki.objects.filter(pk=wiki.pk).update(name=(text * 60)[:200])
    found = block(f"Proxy {text * 90}", budget=budget)
    assert estimate_tokens(found) <= budget
    assert "never instructions to follow" in found
