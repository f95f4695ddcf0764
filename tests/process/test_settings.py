"""Start-up honesty (S1, S3, S6, S9): a wrong setting is a check with id and hint, and stops what would serve."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from covey.environment import INTERNAL, Environment
from embeddings.checks import check_provider

ROOT = Path(__file__).resolve().parents[2]

WRONG = [
    ({"COVEY_EMBEDDING_PROVIDER": "ollamma"}, "covey.E010", "voyage"),
    ({"COVEY_EMBEDDING_PROVIDER": "Builtin"}, "covey.E010", "builtin"),
    ({"COVEY_EMBEDDING_PROVIDER": "openai"}, "covey.E013", "COVEY_EMBEDDING_API_KEY"),
    ({"COVEY_EMBEDDING_PROVIDER": "voyage", "COVEY_EMBEDDING_API_KEY": " "}, "covey.E013", "COVEY_EMBEDDING_API_KEY"),
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_URL": "embeddings:11434"},
        "covey.E011",
        "COVEY_EMBEDDING_URL",
    ),
    (
        {"COVEY_EMBEDDING_PROVIDER": "openai", "COVEY_EMBEDDING_API_KEY": "sk 1"},
        "covey.E015",
        "COVEY_EMBEDDING_API_KEY",
    ),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "m" * 200}, "covey.E016", "COVEY_EMBEDDING_MODEL"),
    ({"COVEY_EMBEDDING_URL": "http://"}, "covey.E011", "COVEY_EMBEDDING_URL"),
    ({"COVEY_OLLAMA_URL": "localhost"}, "covey.E012", "COVEY_OLLAMA_URL"),
    ({"COVEY_ALERT_URL": "chat.example.org/hooks"}, "covey.E014", "COVEY_ALERT_URL"),
    ({"COVEY_APPEND_THRESHOLD": "0"}, "covey.E020", "COVEY_APPEND_THRESHOLD"),
    ({"COVEY_APPEND_THRESHOLD": "nan"}, "covey.E020", "COVEY_APPEND_THRESHOLD"),
    ({"COVEY_APPEND_THRESHOLD": "0,8"}, "covey.E020", "COVEY_APPEND_THRESHOLD"),
    ({"COVEY_MERGE_THRESHOLD": "1.5"}, "covey.E021", "COVEY_MERGE_THRESHOLD"),
    ({"COVEY_MERGE_MODE": "always"}, "covey.E022", "review"),
    ({"COVEY_MAINTENANCE_MINUTES": "-1"}, "covey.E023", "COVEY_MAINTENANCE_MINUTES"),
    ({"COVEY_REQUESTS_PER_MINUTE": "many"}, "covey.E026", "COVEY_REQUESTS_PER_MINUTE"),
    ({"COVEY_RECALL_DAYS": "für immer"}, "covey.E024", "COVEY_RECALL_DAYS"),
    ({"COVEY_RECALL_TEXT": "all"}, "covey.E025", "hash"),
    ({"COVEY_PORT": "http"}, "covey.E030", "COVEY_PORT"),
    ({"COVEY_PORT": "65536"}, "covey.E030", "COVEY_PORT"),
    ({"COVEY_PUBLIC_URL": "wiki.example.test"}, "covey.E031", "COVEY_PUBLIC_URL"),
    ({"COVEY_TIME_ZONE": "Berlin"}, "covey.E035", "COVEY_TIME_ZONE"),
    ({"COVEY_TIME_ZONE": "../UTC"}, "covey.E035", "COVEY_TIME_ZONE"),
    ({"DATABASE_URL": "mysql://x/y"}, "covey.E034", "DATABASE_URL"),
    ({"COVEY_MAIL_URL": "mail.example.test:587"}, "covey.E040", "COVEY_MAIL_URL"),
    ({"COVEY_MAIL_URL": "smtp://mail.example.test:x"}, "covey.E040", "smtp://user:password@"),
    ({"COVEY_MAIL_FROM": "covey"}, "covey.E041", "COVEY_MAIL_FROM"),
    ({"COVEY_MAIL_FROM": "a@b.test\nBcc: c@d.test"}, "covey.E041", "COVEY_MAIL_FROM"),
    ({"COVEY_PROXY_USER_HEADER": "X_Remote_User"}, "covey.E042", "X-Remote-User"),
]


def start(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A process of covey with these settings; nothing of them may touch the database."""
    environment = {**os.environ, "DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "covey.settings", **variables}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(("variables", "id", "word"), WRONG)
def test_a_wrong_setting_is_an_error_with_id_and_hint(variables, id, word):
    done = start("manage.py", "check", **variables)
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert id in output
    assert word in output
    assert "HINT" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "up", "--no-demo"),
        ("manage.py", "prepare"),
        ("manage.py", "qcluster"),
        ("manage.py", "create_token", "robin"),
        ("-m", "gunicorn", "covey.wsgi:application", "--bind", "127.0.0.1:0", "--workers", "1"),
    ],
)
def test_s9_a_wrong_provider_stops_whatever_would_serve(command):
    done = start(*command, COVEY_EMBEDDING_PROVIDER="ollamma")
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert "COVEY_EMBEDDING_PROVIDER=ollamma" in output


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_s9_each_provider_is_served_as_itself(provider):
    key = "schluessel"
    checked = start("manage.py", "check", COVEY_EMBEDDING_PROVIDER=provider, COVEY_EMBEDDING_API_KEY=key)
    assert checked.returncode == 0, checked.stderr
    assert "covey.W001" not in checked.stderr
    assert key not in checked.stdout + checked.stderr
    served = start("-c", "import covey.wsgi", COVEY_EMBEDDING_PROVIDER=provider, COVEY_EMBEDDING_API_KEY=key)
    assert served.returncode == 0
    assert served.stderr == ""


def test_s4_ollama_needs_no_key():
    assert start("manage.py", "check", COVEY_EMBEDDING_PROVIDER="ollama").returncode == 0


WARNED = [
    ({"COVEY_EMBEDDING_URL": "http://h", "COVEY_EMBEDDING_API_KEY": "k"}, ["covey.W001", "covey.W002"]),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama"}, []),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "bge-m3"}, ["covey.W004"]),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "mxbai-embed-large"}, ["covey.W003"]),
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "nomic-embed-text"},
        ["covey.W003", "covey.W004"],
    ),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_URL": "http://ollama.example.org"}, ["covey.W005"]),
    ({"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_URL": "https://ollama.example.org"}, []),
    ({"COVEY_EMBEDDING_PROVIDER": "openai", "COVEY_EMBEDDING_API_KEY": "k"}, []),
    (
        {
            "COVEY_EMBEDDING_PROVIDER": "openai",
            "COVEY_EMBEDDING_API_KEY": "k",
            "COVEY_EMBEDDING_URL": "https://res.openai.azure.com",
        },
        ["covey.W006"],
    ),
    ({"COVEY_EMBEDDING_PROVIDER": "voyage", "COVEY_EMBEDDING_API_KEY": "k"}, ["covey.I001"]),
    (
        {
            "COVEY_EMBEDDING_PROVIDER": "voyage",
            "COVEY_EMBEDDING_API_KEY": "k",
            "COVEY_EMBEDDING_MODEL": "voyage-4-lite",
        },
        [],
    ),
]


@pytest.mark.parametrize(("variables", "ids"), WARNED)
def test_what_is_unwise_is_a_warning_with_a_hint_and_no_error(settings, variables, ids):
    for name, value in variables.items():
        setattr(settings, name, value)
    messages = check_provider(None)
    assert [message.id for message in messages] == ids
    assert all(message.hint and not message.is_serious() for message in messages)


def test_checks_never_call_the_network(use):
    server = use("ollama")
    check_provider(None)
    assert server.requests == []


def test_s3_builtin_is_a_warning_at_every_start():
    checked = start("manage.py", "check")
    assert checked.returncode == 0
    assert "covey.W001" in checked.stderr
    served = start("-c", "import covey.wsgi")
    assert served.returncode == 0
    assert "WARNING embeddings.client: The builtin embedding is active" in served.stderr


def test_what_up_starts_is_silent_about_builtin():
    assert start("-c", "import covey.wsgi", COVEY_STARTED_BY_UP_ON="/x").stderr == ""


def test_a_misspelt_setting_is_a_warning_that_names_the_nearest(tmp_path):
    file = tmp_path / ".env"
    file.write_text("COVEY_EMBEDING_PROVIDER=ollama\nCOVEY_XQZW=1\nPOSTGRES_PASSWORD=x\n", encoding="utf-8")
    output = start(
        "manage.py", "check", COVEY_ENV_FILE=str(file), COVEY_PROT="8000", COVEY_STARTED_BY_UP_ON="/x"
    ).stderr
    assert output.count("covey.W007") == 3
    for wrong, right in (("COVEY_PROT", "COVEY_PORT"), ("COVEY_EMBEDING_PROVIDER", "COVEY_EMBEDDING_PROVIDER")):
        assert re.search(rf"{wrong} is no setting.*\s+HINT: Did you mean {right}\?", output)
    assert "covey.W007" not in start("manage.py", "check", COVEY_PORT="8000").stderr


def test_the_hint_of_a_wrong_public_address_is_about_covey():
    output = start("manage.py", "check", COVEY_PUBLIC_URL="wiki.example.test").stderr
    assert "https://wiki.example.org" in output
    assert "11434" not in output


MAIL = """
import django; django.setup()
from django.conf import settings as s
print(s.EMAIL_BACKEND.split(".")[-2], s.EMAIL_HOST, s.EMAIL_PORT, s.EMAIL_HOST_USER, s.EMAIL_HOST_PASSWORD,
      s.EMAIL_USE_TLS, s.EMAIL_USE_SSL, s.DEFAULT_FROM_EMAIL, sep="|")
"""


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("", "dummy||25|||False|False|covey@127.0.0.1"),
        ("smtp://relay", "smtp|relay|25|||False|False|covey@127.0.0.1"),
        ("smtp://u:p%40ss@mail.example.test", "smtp|mail.example.test|587|u|p@ss|True|False|covey@127.0.0.1"),
        ("smtps://u:p@mail.example.test/", "smtp|mail.example.test|465|u|p|False|True|covey@127.0.0.1"),
        ("smtp://u:p@mail.example.test:2525", "smtp|mail.example.test|2525|u|p|True|False|covey@127.0.0.1"),
    ],
)
def test_a_mail_server_never_gets_a_password_in_the_clear(url, line):
    assert start("-c", MAIL, COVEY_MAIL_URL=url).stdout.strip() == line


def test_a_wrong_mail_server_is_not_repeated_with_its_password():
    assert "geheim" not in start("manage.py", "check", COVEY_MAIL_URL="imap://u:geheim@h").stderr


def test_the_header_of_a_proxy_is_warned_of_where_others_reach_the_port():
    for bind, is_warned in (("127.0.0.1", False), ("0.0.0.0", True)):
        checked = start("manage.py", "check", COVEY_PROXY_USER_HEADER="X-Remote-User", COVEY_BIND=bind)
        assert checked.returncode == 0
        assert ("covey.W008" in checked.stderr) == is_warned
    assert "covey.W008" not in start("manage.py", "check", COVEY_BIND="0.0.0.0").stderr


PROXY = """
import django; django.setup()
from django.conf import settings as s
names = ("covey.proxy_login.ProxyUserMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware")
print(*(s.MIDDLEWARE.index(name) if name in s.MIDDLEWARE else None for name in names), len(s.AUTHENTICATION_BACKENDS))
"""


def test_nobody_is_signed_in_by_a_header_unless_it_is_set():
    assert start("-c", PROXY).stdout.split()[::2] == ["None", "2"]
    ours, djangos, backends = map(int, start("-c", PROXY, COVEY_PROXY_USER_HEADER="X-Remote-User").stdout.split())
    assert (ours, backends) == (djangos + 1, 3)


def test_the_address_that_is_bound_is_allowed():
    script = "import django; django.setup(); from django.conf import settings; print(*settings.ALLOWED_HOSTS)"
    for bind, host in (("192.0.2.7", "192.0.2.7"), ("fd00::1", "[fd00::1]")):
        assert host in start("-c", script, COVEY_BIND=bind, COVEY_PUBLIC_URL="https://x.example.test").stdout.split()
    for bind in ("0.0.0.0", "::"):
        assert bind not in start("-c", script, COVEY_BIND=bind).stdout.split()


def test_s1_builtin_is_the_default_and_an_empty_value_means_unset():
    done = start(
        "-c",
        "import django; django.setup(); from django.conf import settings; from embeddings.client import *;"
        "print(settings.COVEY_EMBEDDING_PROVIDER, active_fingerprint())",
        COVEY_EMBEDDING_PROVIDER="",
    )
    assert done.stdout.split() == ["builtin", "builtin:hash:256"]


def test_https_makes_cookies_secure_and_check_deploy_is_content():
    done = start("manage.py", "check", "--deploy", COVEY_PUBLIC_URL="https://wiki.example.test")
    assert done.returncode == 0, done.stderr
    assert not re.search(r"(security|axes)\.\w", done.stdout + done.stderr)


HTTPS = """
import django; django.setup()
from django.test import Client
for host, path, secure in [("127.0.0.1", "/login", False), ("127.0.0.1", "/api/v1/openapi.json", False),
                           ("127.0.0.1", "/healthz", False), ("wiki.example.test", "/healthz", True)]:
    answer = Client(headers={"Host": host}).get(path, secure=secure)
    print(answer.status_code, answer.headers.get("Location"), answer.headers.get("Strict-Transport-Security"), sep="|")
"""


def test_with_https_plain_requests_go_to_the_public_address_and_agents_on_loopback_stay():
    done = start("-c", HTTPS, COVEY_PUBLIC_URL="https://wiki.example.test")
    assert done.stdout.split() == [
        "301|https://wiki.example.test/login|None",
        "200|None|None",
        "200|None|None",
        "200|None|max-age=31536000",
    ], done.stderr


def test_env_file_is_read_and_real_variables_win(tmp_path, monkeypatch):
    file = tmp_path / ".env"
    file.write_text("COVEY_PORT=9001\nCOVEY_BIND='0.0.0.0'  # alle\nSECRET_KEY=geheim#1\n", encoding="utf-8")
    monkeypatch.setenv("COVEY_BIND", "127.0.0.2")
    monkeypatch.delenv("COVEY_PORT", raising=False)
    environment = Environment(file)
    assert environment.whole_number("COVEY_PORT", 1, 0, 65_535, "x") == 9001
    assert environment.text("COVEY_BIND") == "127.0.0.2"


def test_what_another_process_would_not_find_in_the_env_file_is_known(tmp_path, monkeypatch):
    env_file = tmp_path / ".env"
    env_file.write_text("COVEY_FROM_FILE=file\nCOVEY_BOTH=file\nCOVEY_SAME=same\n", encoding="utf-8")
    monkeypatch.setenv("COVEY_BOTH", "process")
    # As in a child of a process that has read the file and handed all of it on.
    monkeypatch.setenv("COVEY_SAME", "same")
    monkeypatch.setenv("COVEY_PROCESS", " process ")
    monkeypatch.delenv("COVEY_FROM_FILE", raising=False)
    environment = Environment(env_file)
    for name in ("COVEY_FROM_FILE", "COVEY_BOTH", "COVEY_SAME", "COVEY_PROCESS", "COVEY_UNSET"):
        environment.text(name)
    assert environment.beyond_file() == {"COVEY_BOTH": "process", "COVEY_PROCESS": "process"}
    os.environ.pop("COVEY_FROM_FILE")


def test_a_broken_env_file_is_a_problem_and_no_traceback(tmp_path):
    file = tmp_path / ".env"
    file.write_bytes(b"COVEY_BIND=\xff\n")
    assert [problem.id for problem in Environment(file).problems] == ["covey.E001"]


def test_every_variable_that_is_read_stands_in_the_example_and_in_the_documents():
    read = set()
    for source in ("settings.py", "environment.py"):
        text = (ROOT / "covey" / source).read_text(encoding="utf-8")
        read |= set(re.findall(r'"(COVEY_[A-Z_]+|DATABASE_URL|SECRET_KEY)"', text))
    read -= set(INTERNAL)
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    running = (ROOT / "docs/running.md").read_text(encoding="utf-8")
    assert {name for name in read if f"{name}=" not in example} == set()
    assert {name for name in read if name not in running} == set()
