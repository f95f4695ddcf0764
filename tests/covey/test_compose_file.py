"""docker-compose.yml (S4), as a YAML file and, where there is one, as a compose parser reads it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

ROOT: Path = settings.BASE_DIR
# ${NAME}, ${NAME:-default} or ${NAME:?message}; $$ is a dollar sign.
VARIABLE = re.compile(r"(?<!\$)\$(?:\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\}|([A-Za-z_]\w*))")
TWO_LINES = "COMPOSE_PROFILES=embeddings\nCOVEY_EMBEDDING_PROVIDER=ollama\n"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def example() -> set[str]:
    return set(re.findall(r"^(\w+)=", read(".env.example"), re.MULTILINE))


def interpolate(text: str, values: dict[str, str]) -> str:
    """As compose does it: `:-` also replaces an empty value."""
    return VARIABLE.sub(lambda match: values.get(match[1] or match[4]) or match[3] or "", text)


@pytest.fixture
def services() -> dict[str, Any]:
    """With nothing but the password set."""
    return yaml.safe_load(interpolate(read("docker-compose.yml"), {"POSTGRES_PASSWORD": "abc"}))["services"]


def test_every_variable_of_the_compose_file_stands_in_the_example() -> None:
    used = {match[1] or match[4] for match in VARIABLE.finditer(read("docker-compose.yml"))}
    assert {"POSTGRES_PASSWORD", "COVEY_EMBEDDING_MODEL", "COVEY_OLLAMA_URL"} <= used
    assert used - example() == set()


def test_every_setting_of_the_makefile_stands_in_the_example() -> None:
    used = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", read("Makefile"))) - {"DJANGO_SETTINGS_MODULE"}
    assert "COVEY_EMBEDDING_PROVIDER" in used
    assert used - example() == set()


def test_the_two_lines_stand_in_the_example() -> None:
    assert {"COMPOSE_PROFILES", "COVEY_EMBEDDING_PROVIDER"} <= example()


def test_s4_two_more_containers_run_ollamas_image_under_the_profile(services: dict[str, Any]) -> None:
    assert {name for name, service in services.items() if "profiles" in service} == {"embeddings", "embeddings-init"}
    for name in ("embeddings", "embeddings-init"):
        assert services[name]["profiles"] == ["embeddings"]
        assert re.fullmatch(r"ollama/ollama:\d+\.\d+\.\d+", services[name]["image"])
    assert services["embeddings"]["restart"] == "unless-stopped"
    assert services["embeddings"]["healthcheck"]["test"] == ["CMD", "ollama", "list"]
    # Nobody outside needs it.
    assert "ports" not in services["embeddings"]


def test_s4_the_one_off_job_pulls_the_model_from_the_service(services: dict[str, Any]) -> None:
    job = services["embeddings-init"]
    assert job["command"] == ["pull", "embeddinggemma"]
    assert job["environment"] == {"OLLAMA_HOST": "http://embeddings:11434"}
    assert job["depends_on"] == {"embeddings": {"condition": "service_healthy"}}
    assert job["restart"] == "on-failure"


@pytest.mark.parametrize(("value", "model"), [("", "embeddinggemma"), ("qwen3-embedding:0.6b", "qwen3-embedding:0.6b")])
def test_the_job_pulls_the_model_that_covey_asks_for(value: str, model: str) -> None:
    text = interpolate(read("docker-compose.yml"), {"COVEY_EMBEDDING_MODEL": value})
    assert yaml.safe_load(text)["services"]["embeddings-init"]["command"] == ["pull", model]


def test_models_outlive_their_container(services: dict[str, Any]) -> None:
    assert services["embeddings"]["environment"] == {"OLLAMA_MODELS": "/models"}
    assert services["embeddings"]["volumes"] == ["models:/models"]
    assert "models" in yaml.safe_load(read("docker-compose.yml"))["volumes"]


def test_covey_waits_by_itself_and_outside_services_keep_their_addresses(services: dict[str, Any]) -> None:
    for name in ("web", "worker"):
        assert services[name]["environment"]["COVEY_OLLAMA_URL"] == "http://embeddings:11434"
        assert "COVEY_EMBEDDING_URL" not in services[name]["environment"]
        assert "embeddings" not in services[name]["depends_on"]


@pytest.fixture
def compose(tmp_path: Path):
    """compose("--services", env=…): what a real parser makes of the file with this .env."""
    command = next((words for words in (["docker-compose"], ["docker", "compose"]) if has(words)), None)
    if command is None:
        pytest.skip("there is no docker-compose; .ci/run installs it where it can")
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)

    def config(*words: str, env: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / ".env").write_text(env)
        clean = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
        whole = [*command, "config", *words]
        return subprocess.run(whole, cwd=tmp_path, env=clean, capture_output=True, text=True, timeout=60)

    return config


def has(words: list[str]) -> bool:
    if shutil.which(words[0]) is None:
        return False
    return subprocess.run([*words, "version"], capture_output=True, timeout=60).returncode == 0


def test_a_compose_parser_accepts_the_file_with_the_two_lines(compose) -> None:
    done = compose("--services", env=f"POSTGRES_PASSWORD=abc\n{TWO_LINES}")
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"db", "web", "worker", "embeddings", "embeddings-init"}
    read_back = yaml.safe_load(compose(env=f"POSTGRES_PASSWORD=abc\n{TWO_LINES}").stdout)
    assert read_back["services"]["embeddings-init"]["command"] == ["pull", "embeddinggemma"]
    environment = read_back["services"]["worker"]["environment"]
    assert environment["COVEY_EMBEDDING_PROVIDER"] == "ollama"
    assert environment["COVEY_OLLAMA_URL"] == "http://embeddings:11434"


def test_a_compose_parser_accepts_the_file_without_them(compose) -> None:
    done = compose("--services", env="POSTGRES_PASSWORD=abc\n")
    assert done.returncode == 0, done.stderr
    assert {"db", "web", "worker"} <= set(done.stdout.split())


def test_a_compose_parser_accepts_the_example_as_it_stands(compose) -> None:
    done = compose(env=read(".env.example").replace("POSTGRES_PASSWORD=", "POSTGRES_PASSWORD=abc"))
    assert done.returncode == 0, done.stderr
    published = yaml.safe_load(done.stdout)["services"]["web"]["ports"]
    assert "127.0.0.1" in str(published)
    assert "8494" in str(published)


def test_a_compose_parser_names_the_password_that_is_missing(compose) -> None:
    done = compose(env=TWO_LINES)
    assert done.returncode != 0
    assert "Set POSTGRES_PASSWORD in .env" in done.stderr
