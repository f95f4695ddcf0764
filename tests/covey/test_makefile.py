"""What the Makefile sets is what the commands ask for."""

import re

from django.conf import settings

MODEL = "use-multilingual-3"


def chosen(port: int) -> dict[str, str]:
    return {
        "COVEY_EMBEDDING_PROVIDER": "ollama",
        "COVEY_EMBEDDING_MODEL": MODEL,
        "COVEY_EMBEDDING_URL": f"http://127.0.0.1:{port}",
    }


def test_make_run_semantic_sets_what_up_asks_for() -> None:
    makefile = (settings.BASE_DIR / "Makefile").read_text(encoding="utf-8")
    exported = dict(re.findall(r"^run-semantic: export (\w+) = ?(\S*)$", makefile, re.MULTILINE))
    assert exported == {**chosen(8495), "COVEY_EMBEDDING_API_KEY": ""}
    assert "manage.py up --semantic" in makefile
