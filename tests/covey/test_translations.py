"""The German words are complete, and what is compiled says the same as what was written."""

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "locale/de/LC_MESSAGES"
Message = tuple[str, str]


def read_po(path: Path) -> dict[Message, list[str]]:
    """Translations by context and text."""
    messages: dict[Message, list[str]] = {}
    for entry in path.read_text().split("\n\n"):
        assert "#, fuzzy" not in entry
        parts: dict[str, str] = {}
        for line in entry.splitlines():
            if match := re.match(r'(msg\w+(?:\[\d\])?) (".*")$', line):
                name = match[1]
                parts[name] = ast.literal_eval(match[2])
            elif line.startswith('"'):
                parts[name] += ast.literal_eval(line)
        if parts.get("msgid"):
            texts = [text for key, text in parts.items() if key.startswith("msgstr")]
            messages[parts.get("msgctxt", ""), parts["msgid"]] = texts
    return messages


def strings_of(source: str) -> set[Message]:
    """What a Python source hands to gettext, by context and text."""
    found: set[Message] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", "")).removesuffix("_lazy")
        texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if name in ("_", "gettext", "ngettext") and texts and isinstance(texts[0], str):
            found.add(("", texts[0]))
        elif name in ("pgettext", "npgettext") and len(texts) > 1:
            found.add((texts[0], texts[1]))
    return found


def template_strings(path: Path) -> set[Message]:
    # Django's own extraction: a template becomes calls of gettext among X's, without any Python
    # around them.
    calls = re.findall(
        r"\b(n?p?gettext|_)\((.*?)\) ", templatize(path.read_text()) + " ", re.DOTALL
    )
    found: set[Message] = set()
    for name, arguments in calls:
        texts = [
            ast.literal_eval(text)
            for text in re.findall(r"u?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", arguments)
        ]
        found.add((texts[0], texts[1]) if "p" in name else ("", texts[0]))
    return found


@pytest.fixture(scope="module")
def german() -> dict[Message, list[str]]:
    return read_po(FOLDER / "django.po")


def test_every_string_has_german_words(german: dict[Message, list[str]]) -> None:
    assert [message for message, texts in german.items() if not all(texts)] == []


def test_the_compiled_words_are_the_written_ones(german: dict[Message, list[str]]) -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog
    written = {}
    for (context, text), texts in german.items():
        key = f"{context}\x04{text}" if context else text
        written.update(
            {key: texts[0]}
            if len(texts) == 1
            else {(key, index): form for index, form in enumerate(texts)}
        )
    assert {key: text for key, text in compiled.items() if key} == written


def test_no_string_of_the_code_lacks_german_words(german: dict[Message, list[str]]) -> None:
    used: set[Message] = set()
    for folder in ("covey", "embeddings", "wiki"):
        for path in (ROOT / folder).rglob("*.py"):
            used |= strings_of(path.read_text())
    for path in (ROOT / "templates").rglob("*.html"):
        used |= template_strings(path)
    assert len(used) > 150
    assert used - german.keys() == set()


def test_placeholders_are_the_same_in_both_languages(german: dict[Message, list[str]]) -> None:
    def placeholders(text: str) -> set[str]:
        return set(re.findall(r"%\(\w+\)s|\{\w+\}", text))

    for (_, text), texts in german.items():
        for translated in texts:
            assert placeholders(translated) == placeholders(text), text
