"""`manage.py up` as an operator meets it: real processes on loopback, each on a data folder of
its own."""

import os
import signal
import socket
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import psutil
import pytest

from covey.child_processes import Child, Console
from tests.support.installation import Installation, free_port, installation, wait_for


@pytest.fixture
def covey(prepared: Installation) -> Iterator[Installation]:
    with installation(prepared) as made:
        yield made


def test_it_serves_on_an_empty_folder_until_sigterm_and_leaves_nothing(empty: Installation) -> None:
    up = empty.start_up()
    assert empty.status("/readyz") == 200
    assert empty.processes("qcluster")
    up.terminate()
    assert up.wait(40) == 0
    assert empty.processes() == []
    assert "Traceback" not in empty.output()


def test_a_second_up_is_refused_and_the_first_goes_on(covey: Installation) -> None:
    covey.start_up()
    assert covey.run("up", "--no-demo") != 0
    assert "covey is already running" in covey.output()
    assert "Traceback" not in covey.output()
    assert covey.status("/readyz") == 200


def test_the_first_admin_is_made_once_and_its_password_told_once(empty: Installation) -> None:
    assert empty.run("prepare", "--no-demo") == 0
    assert empty.run("prepare", "--no-demo") == 0
    assert empty.output().count("First admin") == 1
    assert "/password)" in empty.output()
    script = "from wiki.models import Wiki; print('wikis:', Wiki.objects.count())"
    assert empty.run("shell", "-v0", "-c", script) == 0
    assert "wikis: 0" in empty.output()
    assert empty.run("prepare") == 0
    assert empty.run("shell", "-v0", "-c", script) == 0
    assert "wikis: 1" in empty.output()


def test_two_preparations_may_run_at_once(empty: Installation) -> None:
    both = [empty.start("prepare", "--no-demo") for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0], empty.output()
    assert empty.output().count("First admin") == 1


def test_it_starts_again_after_kill_9_of_everything(covey: Installation) -> None:
    up = covey.start_up()
    covey.kill_all()
    up.wait()
    up = covey.start_up()
    assert covey.status("/readyz") == 200
    up.terminate()
    assert up.wait(40) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next `up` ends what is left")
def test_its_children_end_when_it_alone_is_killed(covey: Installation) -> None:
    up = covey.start_up()
    up.kill()
    up.wait()
    wait_for(lambda: not covey.processes(), "the end of web server, worker and database")


def test_it_takes_over_from_a_killed_one_whose_children_still_run(covey: Installation) -> None:
    port = str(free_port())
    up = covey.start_up(COVEY_PORT=port)
    up.kill()
    up.wait()
    covey.start_up(COVEY_PORT=port)
    assert covey.status("/readyz") == 200


def test_a_worker_and_a_web_server_that_die_are_started_again(covey: Installation) -> None:
    covey.start_up()
    for words in ("qcluster", "gunicorn"):
        old = covey.processes(words)
        for process in old:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        wait_for(partial(has_new_process, covey, words, old), f"a new {words}")
    wait_for(lambda: covey.status("/readyz") == 200, "an answer")


def has_new_process(covey: Installation, words: str, old: list[psutil.Process]) -> bool:
    return not set(covey.processes(words)) <= set(old)


def test_it_outlives_the_death_of_its_database(covey: Installation) -> None:
    up = covey.start_up()
    (server,) = covey.processes("postgres -D")
    server.kill()
    wait_for(lambda: answers(covey), "an answer")
    up.terminate()
    assert up.wait(40) == 0
    assert covey.processes() == []


def answers(covey: Installation) -> bool:
    with suppress(OSError):
        return covey.status("/readyz") == 200
    return False


def test_it_can_look_after_the_worker_alone(covey: Installation) -> None:
    up = covey.start("up", "--only-worker")
    wait_for(lambda: covey.processes("qcluster"), "the worker")
    assert covey.processes("gunicorn") == []
    up.terminate()
    assert up.wait(40) == 0
    assert covey.processes() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("COVEY_EMBEDDING_PROVIDER", "ollamma"),
        ("COVEY_MERGE_THRESHOLD", "1.5"),
        ("COVEY_PORT", "x"),
    ],
)
def test_a_wrong_setting_aborts_before_anything_starts(
    empty: Installation, name: str, value: str
) -> None:
    assert empty.run("up", **{name: value}) != 0
    assert name in empty.output()
    assert "Traceback" not in empty.output()
    assert not (empty.home / "postgres").exists()


def test_a_port_in_use_aborts_before_anything_starts(empty: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert empty.run("up", COVEY_PORT=str(port)) != 0
    assert f"COVEY_PORT={port}" in empty.output()
    assert "Traceback" not in empty.output()
    assert not (empty.home / "postgres").exists()


def test_an_address_of_another_machine_names_the_setting(empty: Installation) -> None:
    assert empty.run("up", COVEY_BIND="192.0.2.1") != 0
    assert "Set COVEY_BIND to an address of this machine" in empty.output()
    assert "COVEY_PORT to another" not in empty.output()
    assert "Traceback" not in empty.output()


def test_it_serves_on_another_address_than_the_usual_until_sigint(covey: Installation) -> None:
    up = covey.start_up(COVEY_BIND="127.0.0.2")
    assert covey.address().startswith("http://127.0.0.2:")
    assert covey.status("/login") == 200
    up.send_signal(signal.SIGINT)
    assert up.wait(40) == 0
    assert covey.processes() == []


def test_behind_https_it_becomes_ready_and_agents_reach_it_on_loopback_until_sighup(
    covey: Installation,
) -> None:
    port = free_port()
    up = covey.start_up(COVEY_PUBLIC_URL="https://wiki.example.test", COVEY_PORT=str(port))
    with urllib.request.urlopen(
        f"http://127.0.0.1:{port}/api/v1/openapi.json", timeout=10
    ) as answer:
        assert answer.status == 200
    up.send_signal(signal.SIGHUP)
    assert up.wait(40) == 0
    assert covey.processes() == []


def test_builtin_is_warned_about_once_and_the_last_line_is_the_address(covey: Installation) -> None:
    covey.start_up(COVEY_PROT="8000")
    wait_for(lambda: covey.processes("qcluster", "--skip-checks"), "the worker")
    output = covey.output()
    assert output.count("WARNING covey.checks: The builtin embedding is active") == 1
    assert output.count("builtin embedding") == 1
    assert "warning covey.W001" in output
    assert "COVEY_PROT is no setting of covey; it does nothing. Did you mean COVEY_PORT?" in output
    assert output.splitlines()[-1].startswith("covey is ready: http://127.0.0.1:")


def test_a_child_that_keeps_dying_is_started_with_growing_pauses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    child = Child("web", [sys.executable, "-c", "raise SystemExit(3)"], Console(), dict(os.environ))
    child.restart_if_ended()
    wait_for(lambda: not child.is_running(), "its end")
    child.restart_if_ended()
    child.restart_if_ended()
    assert not child.is_running(), "it waits for its pause to be over"
    assert "web ended with status 3; it starts again in 1 s" in capsys.readouterr().out
