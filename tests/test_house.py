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
# In one folder of wiki/, besides its __init__.
MAX_MODULES = 22

# Of the packages of wiki/, from the top down. A package imports from lower floors only.
FLOORS = (
    "api mcp views admin management templatetags tasks schedule urls demo",
    "merging files",
    "recall insights graph lint agents operations",
    "search history suggestions images",
    "pages accounts",
    "indexing names",
    "models db",
    "text markdown redaction comparison",
)
FLOOR = {
    name: number for number, names in enumerate(reversed(FLOORS), start=1) for name in names.split()
}
# What a package may use beside it, on the lowest and the highest floor alone.
SIDEWAYS = {
    ("markdown", "text"),
    ("text", "redaction"),
    ("comparison", "markdown"),
    ("comparison", "text"),
    ("urls", "views"),
    ("views", "api"),
    ("views", "tasks"),
    ("admin", "views"),
    ("admin", "tasks"),
    ("mcp", "api"),
    ("management", "mcp"),
    ("management", "tasks"),
    ("schedule", "tasks"),
}
# What the edges know of the whole: the frame of all commands.
OF_COVEY = {"covey.base_command", "covey.checks", "covey.environment"}


def modules():
    for package in ("covey", "wiki", "embeddings"):
        for path in (ROOT / package).rglob("*.py"):
            if "migrations" not in path.parts:
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
                    ".__init__"
                )
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(name: str) -> str:
    """The package of wiki/ that a module belongs to, or the module that stands there by itself."""
    return name.split(".")[1]


def imports_between_rooms():
    for module, tree in modules():
        if module.startswith("wiki.") and module != "wiki.apps":
            for name in imports(tree):
                if name.startswith("wiki.") and room_of(name) != room_of(module):
                    yield module, name


def test_every_room_stands_on_a_floor():
    assert {room_of(module) for module, _tree in modules() if module.startswith("wiki.")} - {
        "apps"
    } == set(FLOOR)


def test_imports_point_down():
    wrong = [
        f"{module} imports {name}"
        for module, name in imports_between_rooms()
        if FLOOR[room_of(name)] >= FLOOR[room_of(module)]
        and (room_of(module), room_of(name)) not in SIDEWAYS
    ]
    assert wrong == []


def test_nothing_goes_sideways_between_the_lowest_and_the_highest_floor():
    assert {FLOOR[room] for pair in SIDEWAYS for room in pair} == {1, 8}


def test_every_way_sideways_is_walked():
    walked = {(room_of(module), room_of(name)) for module, name in imports_between_rooms()}
    assert SIDEWAYS - walked == set()


def test_the_packages_point_down():
    """covey wires it all together, wiki stands on embeddings."""
    own = [(module, name) for module, tree in modules() for name in imports(tree)]
    assert [
        pair for pair in own if pair[0].startswith("embeddings") and pair[1].startswith("wiki")
    ] == []
    upward = [
        (module, name)
        for module, name in own
        if not module.startswith("covey") and name.startswith("covey.")
        if ".".join(name.split(".")[:2]) not in OF_COVEY
    ]
    assert upward == []


def test_a_folder_is_looked_through_at_a_glance():
    folders = [
        path for path in (ROOT / "wiki").rglob("*") if path.is_dir() and path.name != "migrations"
    ]
    counts = {str(path.relative_to(ROOT)): len([*path.glob("*.py")]) for path in folders}
    assert {name: count for name, count in counts.items() if count > MAX_MODULES + 1} == {}


def test_no_two_modules_of_a_feature_have_one_name():
    """A feature has the same name in wiki/, wiki/views/ and the other edges; inside it every
    module has its own."""
    doubled = []
    for feature in (ROOT / "wiki").iterdir():
        names = Counter(path.stem for path in feature.rglob("*.py") if path.stem != "__init__")
        if feature.is_dir() and feature.name not in ("views", "migrations"):
            doubled += [f"{feature.name}/{name}" for name, count in names.items() if count > 1]
    assert doubled == []


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


@pytest.mark.parametrize("name", sorted(tasks.TASKS))
def test_every_queued_name_is_a_function(name):
    assert callable(import_string(name))


def test_the_worker_runs_every_task_that_has_a_name():
    assert {
        value for value in vars(tasks).values() if str(value).startswith("wiki.tasks.")
    } == tasks.TASKS


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
        path.read_text(encoding="utf-8")
        for name in ("covey", "embeddings")
        for path in (ROOT / name).rglob("*.py")
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
