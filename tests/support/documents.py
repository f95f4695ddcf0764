"""The documents of the project, as people read them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
}
