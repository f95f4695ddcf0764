"""docker-compose.yml, read as a YAML file."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

ROOT: Path = settings.BASE_DIR
# ${NAME}, ${NAME:-default} or ${NAME:?message}; $$ is a dollar sign.
VARIABLE = re.compile(r"(?<!\$)\$(?:\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\}|([A-Za-z_]\w*))")


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
    return yaml.safe_load(interpolate(read("docker-compose.yml"), {"POSTGRES_PASSWORD": "abc"}))[
        "services"
    ]


def test_every_variable_of_the_compose_file_stands_in_the_example() -> None:
    used = {match[1] or match[4] for match in VARIABLE.finditer(read("docker-compose.yml"))}
    assert {"POSTGRES_PASSWORD", "COVEY_EMBEDDING_MODEL", "COVEY_OLLAMA_URL"} <= used
    assert used - example() == set()


def test_every_setting_of_the_makefile_stands_in_the_example() -> None:
    used = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", read("Makefile"))) - {
        "DJANGO_SETTINGS_MODULE",
        "COVEY_THOROUGH",
    }
    assert "COVEY_EMBEDDING_PROVIDER" in used
    assert used - example() == set()


def test_the_two_lines_stand_in_the_example() -> None:
    assert {"COMPOSE_PROFILES", "COVEY_EMBEDDING_PROVIDER"} <= example()


def test_two_more_containers_run_ollamas_image_under_the_profile(services: dict[str, Any]) -> None:
    assert {name for name, service in services.items() if "profiles" in service} == {
        "embeddings",
        "embeddings-init",
    }
    for name in ("embeddings", "embeddings-init"):
        assert services[name]["profiles"] == ["embeddings"]
        assert re.fullmatch(r"ollama/ollama:\d+\.\d+\.\d+", services[name]["image"])
    assert services["embeddings"]["restart"] == "unless-stopped"
    assert services["embeddings"]["healthcheck"]["test"] == ["CMD", "ollama", "list"]
    # Nobody outside needs it.
    assert "ports" not in services["embeddings"]


def test_the_one_off_job_pulls_the_model_from_the_service(services: dict[str, Any]) -> None:
    job = services["embeddings-init"]
    assert job["command"] == ["pull", "embeddinggemma"]
    assert job["environment"] == {"OLLAMA_HOST": "http://embeddings:11434"}
    assert job["depends_on"] == {"embeddings": {"condition": "service_healthy"}}
    assert job["restart"] == "on-failure"


@pytest.mark.parametrize(
    ("value", "model"), [("", "embeddinggemma"), ("qwen3-embedding:0.6b", "qwen3-embedding:0.6b")]
)
def test_the_job_pulls_the_model_that_covey_asks_for(value: str, model: str) -> None:
    text = interpolate(read("docker-compose.yml"), {"COVEY_EMBEDDING_MODEL": value})
    assert yaml.safe_load(text)["services"]["embeddings-init"]["command"] == ["pull", model]


def test_models_outlive_their_container(services: dict[str, Any]) -> None:
    assert services["embeddings"]["environment"] == {"OLLAMA_MODELS": "/models"}
    assert services["embeddings"]["volumes"] == ["models:/models"]
    assert "models" in yaml.safe_load(read("docker-compose.yml"))["volumes"]


def test_covey_waits_by_itself_and_outside_services_keep_their_addresses(
    services: dict[str, Any],
) -> None:
    for name in ("web", "worker"):
        assert services[name]["environment"]["COVEY_OLLAMA_URL"] == "http://embeddings:11434"
        assert "COVEY_EMBEDDING_URL" not in services[name]["environment"]
        assert "embeddings" not in services[name]["depends_on"]
