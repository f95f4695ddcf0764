"""The house rules of the code: imports point down, queued names exist."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from django.apps import apps as django_apps
from django.utils.module_loading import import_string

from wiki import tasks
from wiki.models import Page

ROOT = Path(__file__).resolve().parent.parent

# From top to bottom; a module may import from its own floor and from those below.
FLOORS = [
    {"covey"},
    {
        "wiki.api",
        "wiki.admin",
        "wiki.views",
        "wiki.urls",
        "wiki.management",
        "wiki.templatetags",
        "wiki.demo_wiki",
        "wiki.mcp",
    },
    {"wiki.forms", "wiki.tasks"},
    {"wiki"},
    {"wiki.models", "wiki.markup", "wiki.slugs", "wiki.text", "wiki.insight_blocks", "wiki.apps", "wiki.migrations"},
    {"embeddings"},
]
# The frame of all commands, and what the edges know of the whole.
SHARED = {"covey.commands", "covey.checks", "covey.environment"}


def floor_of(module: str) -> int:
    matches = [
        (len(name), number)
        for number, names in enumerate(FLOORS)
        for name in names
        if module == name or module.startswith(f"{name}.")
    ]
    return max(matches)[1]


def modules():
    for package in ("covey", "wiki", "embeddings"):
        for path in (ROOT / package).rglob("*.py"):
            if "migrations" not in path.parts:
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own(name: str) -> bool:
    return name.split(".")[0] in ("covey", "wiki", "embeddings")


def test_imports_point_down():
    upward = [
        f"{module} imports {name}"
        for module, tree in modules()
        for name in filter(own, imports(tree))
        if floor_of(name) < floor_of(module) and not any(name.startswith(shared) for shared in SHARED)
    ]
    assert upward == []


def test_embeddings_know_nothing_of_pages():
    assert [
        m for m, tree in modules() if m.startswith("embeddings") and any(n.startswith("wiki") for n in imports(tree))
    ] == []


def test_nothing_is_imported_inside_functions():
    inner = [
        f"{module}:{node.lineno}"
        for module, tree in modules()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name != "ready"
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert inner == []


@pytest.mark.parametrize("name", [value for key, value in vars(tasks).items() if key.isupper() and "." in str(value)])
def test_every_queued_name_is_a_function(name):
    assert callable(import_string(name))


def test_tasks_are_queued_by_those_names_alone():
    literal = [
        f"{module}:{node.lineno}"
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "async_task"
        and not isinstance(node.args[0], ast.Name)
    ]
    assert literal == []


def test_every_check_has_an_id_of_its_own():
    sources = [
        path.read_text(encoding="utf-8") for name in ("covey", "embeddings") for path in (ROOT / name).rglob("*.py")
    ]
    ids = Counter(re.findall(r"covey\.[EWI]\d{3}", "\n".join(sources)))
    assert len(ids) > 20
    assert [id for id, count in ids.items() if count > 1] == []


def test_the_apps_and_the_columns_of_a_vector_are_as_documented():
    apps = {config.name for config in django_apps.get_app_configs()}
    assert {"wiki", "embeddings", "django_q", "django.contrib.admin"} <= apps
    fields = {field.name: field for field in Page._meta.get_fields()}
    assert fields["embedding"].dimensions == 256
    assert fields["embed_model"].get_internal_type() == "CharField"
    assert list(django_apps.get_app_config("embeddings").get_models()) == []


def test_what_stands_at_the_top():
    names = {path.name for path in ROOT.iterdir()}
    expected = "manage.py covey wiki embeddings templates tests requirements.txt docker-compose.yml"
    assert set(expected.split()) <= names
    packages = (ROOT / "requirements.txt").read_text(encoding="utf-8").lower()
    for name in ("django", "django-environ", "psycopg", "pgvector", "numpy", "django-q2"):
        assert re.search(rf"^{name}(\[.*?\])?==\S+ +# \S", packages, re.MULTILINE), name


def test_the_style_sheet_closes_what_it_opens():
    sheet = (ROOT / "static/covey/covey.css").read_text(encoding="utf-8")
    assert sheet.count("{") == sheet.count("}")
