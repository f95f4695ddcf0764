"""The embedded database: who starts it, who stops it, what it survives. Real processes on
folders of their own."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from covey.embedded.cluster import find_programs
from tests.support.installation import QUERY, Installation, installation, wait_for

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
STAY = "import time; time.sleep(120)"


@pytest.fixture
def covey(prepared: Installation) -> Iterator[Installation]:
    """One that has run before."""
    with installation(prepared) as made:
        yield made


def pid_file(covey: Installation) -> Path:
    return covey.home / "postgres" / "postmaster.pid"


def server_id(covey: Installation) -> int:
    return int(pid_file(covey).read_text().split()[0])


def wait_for_nothing(covey: Installation) -> None:
    wait_for(lambda: not covey.processes(), "the end of all processes")


def test_a_command_starts_the_server_and_stops_it_at_its_end(empty: Installation) -> None:
    assert empty.can_query()
    assert empty.processes() == []


def test_the_last_of_several_users_stops_the_server(covey: Installation) -> None:
    first = covey.query(STAY)
    server = server_id(covey)
    assert covey.can_query()
    assert server_id(covey) == server
    assert psutil.pid_exists(server)
    first.terminate()
    first.wait()
    wait_for_nothing(covey)


def test_many_commands_may_start_together_on_an_empty_folder(empty: Installation) -> None:
    commands = [
        empty.start("shell", "-v0", "-c", "from django.db import connection as c; c.cursor()")
        for _ in range(4)
    ]
    assert [command.wait(60) for command in commands] == [0, 0, 0, 0], empty.output()
    assert empty.processes() == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_when_its_only_user_is_killed(
    covey: Installation, number: signal.Signals
) -> None:
    user = covey.query(STAY)
    user.send_signal(number)
    user.wait()
    wait_for_nothing(covey)


def test_the_server_ends_after_a_user_that_forked_and_left_without_exit_handlers(
    covey: Installation,
) -> None:
    user = covey.query("import os, time\nif os.fork() == 0: time.sleep(1)\nos._exit(0)")
    user.wait()
    assert covey.processes("postgres -D"), "the forked process still uses it"
    wait_for_nothing(covey)


def test_it_starts_again_after_kill_9_of_everything(covey: Installation) -> None:
    covey.query(STAY)
    covey.kill_all()
    assert covey.can_query(), covey.output()


def test_a_server_that_outlived_its_users_and_keeper_is_used_again_and_then_stopped(
    covey: Installation,
) -> None:
    user = covey.query(STAY)
    server = server_id(covey)
    for process in [*covey.processes("covey.embedded.keeper"), psutil.Process(user.pid)]:
        process.kill()
    user.wait()
    second = covey.query(STAY)
    assert server_id(covey) == server
    second.kill()
    second.wait()
    wait_for_nothing(covey)


def test_a_server_that_dies_is_started_again_at_the_next_connect(covey: Installation) -> None:
    user = covey.query(
        "connection.close(); import time; time.sleep(2); connection.cursor().execute('SELECT 2')"
    )
    os.kill(server_id(covey), signal.SIGKILL)
    assert user.wait(60) == 0, covey.output()
    assert covey.processes() == []


def test_a_stale_pid_file_that_names_a_foreign_process_is_no_hindrance(covey: Installation) -> None:
    covey.query(STAY)
    covey.kill_all()
    foreign = subprocess.Popen(["sleep", "120"])
    try:
        lines = pid_file(covey).read_text().splitlines()
        for text in ("\n".join([str(foreign.pid), *lines[1:]]), f"{foreign.pid}\n", ""):
            pid_file(covey).write_text(text)
            assert covey.can_query(), covey.output()
        assert foreign.poll() is None
    finally:
        foreign.kill()
        foreign.wait()


def test_an_init_that_was_killed_halfway_leaves_nothing_in_the_way(empty: Installation) -> None:
    user = empty.start("shell", "-v0", "-c", QUERY)
    wait_for(
        lambda: list(empty.home.glob("postgres.new-*/PG_VERSION")), "a half-made folder", seconds=20
    )
    user.kill()
    user.wait()
    empty.kill_all()
    assert empty.can_query(), empty.output()
    assert list(empty.home.glob("postgres.new-*")) == []


def test_a_folder_too_long_for_a_socket_works(empty: Installation) -> None:
    empty.home = empty.folder / ("long-" * 30) / "var"
    empty.environment["COVEY_DATA_DIR"] = str(empty.home)
    user = empty.query(STAY)
    sockets = Path(pid_file(empty).read_text().splitlines()[4])
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    user.kill()
    user.wait()
    wait_for_nothing(empty)
    assert not sockets.exists()


def test_a_start_that_fails_says_why_without_a_traceback(covey: Installation) -> None:
    assert covey.can_query()
    (covey.home / "postgres" / "global" / "pg_control").unlink()
    assert covey.run("prepare") != 0
    assert "PostgreSQL did not start" in covey.output()
    assert "pg_control" in covey.output()
    assert "Traceback" not in covey.output()
    assert covey.run("check") == 0
    assert covey.processes() == []


def test_only_the_socket_is_open_and_its_folder_is_closed(covey: Installation) -> None:
    covey.query(STAY)
    server = psutil.Process(server_id(covey))
    assert [
        connection for connection in server.net_connections() if connection.status == "LISTEN"
    ] == []
    assert stat.S_IMODE((covey.home / "postgres").stat().st_mode) == 0o700
    assert stat.S_IMODE((covey.home / "postgres" / ".s.PGSQL.5432").stat().st_mode) == 0o700


@needs_root
def test_another_user_is_refused_even_through_a_loosened_folder(covey: Installation) -> None:
    covey.query(STAY)
    data = covey.home / "postgres"
    covey.home.chmod(0o755)
    data.chmod(0o755)
    (data / ".s.PGSQL.5432").chmod(0o777)
    message = connect_as(pwd.getpwnam("nobody"), data)
    assert "Peer authentication failed" in message
    assert connect_as(pwd.getpwuid(0), data) == ""


def connect_as(user: pwd.struct_passwd, sockets: Path) -> str:
    """What the server objects to; run in a forked process, for the environment may be closed to
    the other user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        try:
            psycopg.connect(host=str(sockets), user="postgres", dbname="postgres").close()
        except psycopg.OperationalError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader) as answer:
        return answer.read()


@needs_root
def test_a_closed_parent_folder_stays_closed(empty: Installation) -> None:
    closed = empty.folder / "closed"
    closed.mkdir(mode=0o700)
    empty.home = closed / "var"
    empty.environment["COVEY_DATA_DIR"] = str(empty.home)
    # The server's programs too lie where its user may not look, as in a clone below /root.
    empty.environment["PYTHONPATH"] = str(copy_programs(closed))
    assert empty.can_query(), empty.output()
    assert str(closed) in (empty.home / "postgres" / "postmaster.opts").read_text()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert empty.processes() == []


def copy_programs(folder: Path) -> Path:
    programs = find_programs().parent
    package = folder / programs.parent.name
    shutil.copytree(programs, package / programs.name)
    (package / "__init__.py").touch()
    if (libraries := programs.parent.with_suffix(".libs")).exists():
        shutil.copytree(libraries, folder / libraries.name)
    return folder


@needs_root
def test_root_runs_the_server_as_the_owner_of_the_folder(empty: Installation) -> None:
    empty.home.mkdir()
    os.chown(empty.home, pwd.getpwnam("nobody").pw_uid, -1)
    empty.query(STAY)
    assert psutil.Process(server_id(empty)).username() == "nobody"
    assert (empty.home / "postgres.users").stat().st_uid == pwd.getpwnam("nobody").pw_uid
