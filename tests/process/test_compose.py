"""docker-compose.yml as a compose parser reads it, where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.conf import settings

ROOT: Path = settings.BASE_DIR


TWO_LINES = "COMPOSE_PROFILES=embeddings\nCOVEY_EMBEDDING_PROVIDER=ollama\n"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def compose(tmp_path: Path):
    """compose("--services", env=…): what a real parser makes of the file with this .env."""
    command = next(
        (words for words in (["docker-compose"], ["docker", "compose"]) if has(words)), None
    )
    if command is None:
        pytest.skip("there is no docker-compose; .ci/run installs it where it can")
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)

    def config(*words: str, env: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / ".env").write_text(env)
        clean = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
        whole = [*command, "config", *words]
        return subprocess.run(
            whole, cwd=tmp_path, env=clean, capture_output=True, text=True, timeout=60
        )

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
