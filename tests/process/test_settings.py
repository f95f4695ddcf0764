"""A wrong setting is a check with id and hint, and stops what would serve."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WRONG = [
    ({"COVEY_EMBEDDING_PROVIDER": "ollamma"}, "covey.E010", "voyage"),
    ({"COVEY_EMBEDDING_PROVIDER": "Builtin"}, "covey.E010", "builtin"),
    ({"COVEY_EMBEDDING_PROVIDER": "openai"}, "covey.E013", "COVEY_EMBEDDING_API_KEY"),
    (
        {"COVEY_EMBEDDING_PROVIDER": "voyage", "COVEY_EMBEDDING_API_KEY": " "},
        "covey.E013",
        "COVEY_EMBEDDING_API_KEY",
    ),
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
    (
        {"COVEY_EMBEDDING_PROVIDER": "ollama", "COVEY_EMBEDDING_MODEL": "m" * 200},
        "covey.E016",
        "COVEY_EMBEDDING_MODEL",
    ),
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
    environment = {
        **os.environ,
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "covey.settings",
        **variables,
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def side_by_side(cases):
    """The cases in as few rounds as they need so that none sets what another of its round sets
    or looks for."""
    rounds = []
    for variables, id, word in cases:
        for each in rounds:
            if not any(
                variables.keys() & others.keys() or id == other for others, other, _ in each
            ):
                each.append((variables, id, word))
                break
        else:
            rounds.append([(variables, id, word)])
    return rounds


@pytest.mark.parametrize("cases", side_by_side(WRONG))
def test_a_wrong_setting_is_an_error_with_id_and_hint(cases):
    done = start(
        "manage.py",
        "check",
        **{name: value for variables, *_ in cases for name, value in variables.items()},
    )
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in output
    told = re.split(r"^\?: ", output, flags=re.MULTILINE)
    for _, id, word in cases:
        [error] = [each for each in told if each.startswith(f"({id})")]
        assert word in error
        assert "HINT" in error


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
def test_a_wrong_provider_stops_whatever_would_serve(command):
    done = start(*command, COVEY_EMBEDDING_PROVIDER="ollamma")
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert "COVEY_EMBEDDING_PROVIDER=ollamma" in output


@pytest.mark.parametrize("provider", ["ollama", "voyage", "openai"])
def test_each_provider_is_served_as_itself(provider):
    key = "schluessel"
    checked = start(
        "manage.py", "check", COVEY_EMBEDDING_PROVIDER=provider, COVEY_EMBEDDING_API_KEY=key
    )
    assert checked.returncode == 0, checked.stderr
    assert "covey.W001" not in checked.stderr
    assert key not in checked.stdout + checked.stderr
    served = start(
        "-c", "import covey.wsgi", COVEY_EMBEDDING_PROVIDER=provider, COVEY_EMBEDDING_API_KEY=key
    )
    assert served.returncode == 0
    assert served.stderr == ""


def test_ollama_needs_no_key():
    assert start("manage.py", "check", COVEY_EMBEDDING_PROVIDER="ollama").returncode == 0


def test_builtin_is_a_warning_at_every_start():
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
    file.write_text(
        "COVEY_EMBEDING_PROVIDER=ollama\nCOVEY_XQZW=1\nPOSTGRES_PASSWORD=x\n", encoding="utf-8"
    )
    output = start(
        "manage.py",
        "check",
        COVEY_ENV_FILE=str(file),
        COVEY_PROT="8000",
        COVEY_STARTED_BY_UP_ON="/x",
    ).stderr
    assert output.count("covey.W007") == 3
    for wrong, right in (
        ("COVEY_PROT", "COVEY_PORT"),
        ("COVEY_EMBEDING_PROVIDER", "COVEY_EMBEDDING_PROVIDER"),
    ):
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
        (
            "smtp://u:p%40ss@mail.example.test",
            "smtp|mail.example.test|587|u|p@ss|True|False|covey@127.0.0.1",
        ),
        (
            "smtps://u:p@mail.example.test/",
            "smtp|mail.example.test|465|u|p|False|True|covey@127.0.0.1",
        ),
        (
            "smtp://u:p@mail.example.test:2525",
            "smtp|mail.example.test|2525|u|p|True|False|covey@127.0.0.1",
        ),
    ],
)
def test_a_mail_server_never_gets_a_password_in_the_clear(url, line):
    assert start("-c", MAIL, COVEY_MAIL_URL=url).stdout.strip() == line


def test_a_wrong_mail_server_is_not_repeated_with_its_password():
    assert "geheim" not in start("manage.py", "check", COVEY_MAIL_URL="imap://u:geheim@h").stderr


def test_the_header_of_a_proxy_is_warned_of_where_others_reach_the_port():
    for bind, is_warned in (("127.0.0.1", False), ("0.0.0.0", True)):
        checked = start(
            "manage.py", "check", COVEY_PROXY_USER_HEADER="X-Remote-User", COVEY_BIND=bind
        )
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
    ours, djangos, backends = map(
        int, start("-c", PROXY, COVEY_PROXY_USER_HEADER="X-Remote-User").stdout.split()
    )
    assert (ours, backends) == (djangos + 1, 3)


def test_the_address_that_is_bound_is_allowed():
    script = (
        "import django; django.setup(); from django.conf import settings; "
        "print(*settings.ALLOWED_HOSTS)"
    )
    for bind, host in (("192.0.2.7", "192.0.2.7"), ("fd00::1", "[fd00::1]")):
        assert (
            host
            in start(
                "-c", script, COVEY_BIND=bind, COVEY_PUBLIC_URL="https://x.example.test"
            ).stdout.split()
        )
    for bind in ("0.0.0.0", "::"):
        assert bind not in start("-c", script, COVEY_BIND=bind).stdout.split()


def test_builtin_is_the_default_and_an_empty_value_means_unset():
    done = start(
        "-c",
        "import django; django.setup(); from django.conf import settings; from embeddings.client "
        "import *;"
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
