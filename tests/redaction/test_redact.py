"""Keys and passwords are taken out of what agents hand in, on every way in; what only talks
about them stays."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from wiki.files.import_export import export_folder
from wiki.insights.intake import Handed, file_insight
from wiki.models import Insight, Page, Revision
from wiki.redaction import mask_secrets

# Put together here, so that nobody who looks for secrets finds some in this file.
RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cF3"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
LINES = "\n".join([RANDOM * 2] * 4)
GITHUB = f"ghp_{RANDOM}123"
JWT = ".".join(["ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0", RANDOM])


def pem(kind):
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{LINES}\n-----END {kind}PRIVATE KEY-----"


PUTTY = (
    f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: "
    f"1\n{RANDOM}\nPrivate-Lines: 1\n"
    f"{LINES}\nPrivate-MAC: {HEX}{HEX}"
)

# What is removed, and the name that stands there instead.
SECRETS = [
    (GITHUB, "GitHub token"),
    (f"gho_{RANDOM}123", "GitHub token"),
    (f"github_pat_{RANDOM}_{RANDOM}", "GitHub token"),
    (f"glpat-{RANDOM[:20]}", "GitLab token"),
    (f"sk-{RANDOM}", "API key"),
    (f"sk-proj-{RANDOM}_{RANDOM}", "API key"),
    (f"sk-ant-api03-{RANDOM}-{RANDOM}AA", "Anthropic key"),
    (f"sk_live_{RANDOM[:24]}", "Stripe key"),
    (f"rk_live_{RANDOM[:24]}", "Stripe key"),
    (f"xoxb-123456789012-{RANDOM}", "Slack token"),
    (f"xoxp-123456789012-{RANDOM}", "Slack token"),
    ("AKIA" + "Q3EGRB7T5XPLKD2M", "AWS access key"),
    ("AIza" + f"Sy{RANDOM}", "Google API key"),
    (f"hf_{RANDOM}", "Hugging Face token"),
    (f"npm_{RANDOM}123", "npm token"),
    (f"pypi-AgEIcHlwaS5vcmc{RANDOM}", "PyPI token"),
    (f"covey_{RANDOM}aB3dE6gH9_", "covey token"),
    (JWT, "JSON web token"),
    (pem(""), "private key"),
    (pem("RSA "), "private key"),
    (pem("OPENSSH "), "private key"),
    (pem("ENCRYPTED "), "private key"),
    (pem("EC ").replace("\n", "\\n"), "private key"),
    (PUTTY, "private key"),
    (f"SG.{RANDOM[:22]}.{RANDOM}", "SendGrid key"),
    (f"dop_v1_{HEX}{HEX}", "DigitalOcean token"),
    (f"hvs.{RANDOM}", "Vault token"),
    (f"pplx-{RANDOM}123456789", "API key"),
    (f"lin_api_{RANDOM}", "Linear key"),
    (f"ntn_{RANDOM}aB3dE6gH9jK2", "Notion token"),
    (f"figd_{RANDOM}", "Figma token"),
    (f"sntrys_{RANDOM}{RANDOM}", "Sentry token"),
    (f"tskey-auth-{RANDOM[:17]}-{RANDOM}", "Tailscale key"),
    (f"pul-{HEX}9f86d081", "Pulumi token"),
    (f"glsa_{RANDOM}_9f86d081", "Grafana token"),
    (f"dapi{HEX}", "Databricks token"),
    (f"sbp_{HEX}9f86d081", "Supabase token"),
    (f"dp.pt.{RANDOM}aB3dE6gH9", "Doppler token"),
    (f"https://discord.com/api/webhooks/123456789012345678/{RANDOM}{RANDOM}", "webhook"),
]
# Where it stands tells that it is one: before it, the secret, behind it.
PLACED = [
    ("password = ", "hunter2", ""),
    ("Password: ", "Tr0ub4dor&3", ""),
    ("Passwort: ", "Sommer2026!", " (gilt bis Mai)"),
    ("Das Passwort ist ", "k3llerT!r", "."),
    ("the password is ", "k3llerT!r", ", ask Ina"),
    ("**Kennwort:** ", "k3llert4r", ""),
    ("Password of the runner is ", "hunter2hunter2", ""),
    ("The password for the copier on floor 2 is now ", "k3llerT!r", "."),
    ("Password for the copier: ", "hunter2", ""),
    ("the root password on db-7.example.org was `", "k3llert4r", "`."),
    ("Das Passwort für den Kopierer lautet ", "Geheim4711x", "."),
    ("Das WLAN-Passwort im Lager ist jetzt „", "Geheim4711x", "“."),
    ("Adminpasswort vom Drucker lautet: ", "Geheim4711x", ", gilt bis Mai"),
    ("Das Kennwort zum Tresor heißt ", "Sommer2026!", ""),
    ("The API key of the shop is ", RANDOM, ", valid until May"),
    ("Der API-Schlüssel für den Shop lautet ", HEX, "."),
    ('The passphrase of the backup is "', "correct horse battery staple", '".'),
    ("Die Passphrase lautet „", "korrekt-pferd-batterie", "“."),
    ('password = "', "correcthorsebattery", '"'),
    ('{"password": "', "aB3dE6gH9", '"}'),
    ("api_key=", RANDOM, ""),
    ("OPENAI_API_KEY=", "abcdefghijklmnopqrst", ""),
    ("export DB_PASSWORD=", "correcthorsebattery", "\nnext"),
    ("client_secret: ", RANDOM, ""),
    ("access token: ", HEX, ""),
    ("Authorization: Bearer ", RANDOM, ""),
    ('curl -H "Authorization: Bearer ', RANDOM, '" https://example.org'),
    ("Authorization: Basic ", "cGF0OmtlbGxlcnTDvHI=", ""),
    ("postgres://covey:", "k3llert4r", "@db-7:5432/covey"),
    ("https://pat:", "geheimer-keller", "@git.example.org/ops.git"),
    ("redis://:", "k3llert4r", "@cache:6379"),
    ("curl -u pat:", "k3llert4r", " https://example.org"),
    ("mysql --password=", "k3llert4r", " shop"),
    ("mysql --password ", "k3llert4r", " shop"),
    ("mysql -u root -p", "k3llert4r", " shop"),
    ("sshpass -p ", "k3llert4r", " ssh pat@web-01"),
    ("docker login -u pat -p ", "k3llert4r", ""),
    ("PW: ", "k3ller!T4r", ""),
    ("ansible_become_pass: ", "k3llert4r", ""),
    ("PGPASSWORD=", "k3llert4r", " psql shop"),
    ('{"accessToken": "', RANDOM, '"}'),
    ('{\\"password\\": \\"', "k3llert4r", '\\"}'),
    ("<password>", "k3llert4r", "</password>"),
    ("password -> ", "k3llert4r", ""),
    ("Password (for root): ", "k3llert4r", ""),
    ("Password：", "k3llert4r", ""),
    ("Pass\u200bword: ", "k3llert4r", ""),
    ("mot de passe : ", "k3llert4r", ""),
    ("contraseña: ", "k3llert4r", ""),
    ("пароль: ", "k3llert4r", ""),
    ("Zugangsdaten: pat / ", "k3llert4r", ""),
    ("Password:\n```\n", "k3llert4r", "\n```"),
    ("Passwort:\n- ", "k3llert4r", ""),
    ("| host | password |\n|---|---|\n| web-01 | ", "k3llert4r", " |"),
    ("auth token ", HEX, ""),
    ("https://files.example.org/a?v=2&sig=", f"{RANDOM}%3D", ""),
    ("WIFI:T:WPA;S:Lager;P:", "kellerlager", ";;"),
    (
        "seed phrase: ",
        "abandon ability able above absent absorb abstract absurd abuse access accident zoo",
        ".",
    ),
]
UNTOUCHED = [
    "Keys of OpenAI begin with sk-, tokens of GitHub with ghp_ or github_pat_, those of covey with "
    "covey_.",
    "Der API-Schlüssel wird jeden Monat getauscht; die Schlüssel beginnen mit sk-ant-.",
    "A file that begins with `-----BEGIN OPENSSH PRIVATE KEY-----` is a private key.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "The commit 3f785b1c2d4e5f60718293a4b5c6d7e8f9012345 broke the build.",
    f"SHA-256 of the image: {HEX}{HEX}",
    "The request id is 6f1c0b1e-7d3a-4f4e-9a55-2f0d9c1b7e61.",
    "![](pictures/9f86d081884c7d659a2feaa0c55ad015.png)",
    "`password = <password>`",
    "`password = $PASSWORD` and `--password={{password}}`",
    "DB_PASSWORD=changeme",
    "DB_PASSWORD=${DB_PASSWORD}",
    "password: ********",
    "password: required",
    "Passwort: siehe Tresor",
    "Passwort: mindestens 12 Zeichen, 8-stellig reicht nicht",
    "Passwort-Reset nur über SSO.",
    "The password is stored in /etc/shadow as a sha512 hash.",
    "Das Passwort ist im Tresor unter ops/db-7.",
    "The password of the runner is sha512-hashed.",
    "The password for staging is the same as for db-07.",
    "The password of robin is unknown! Das Passwort ist falsch! Passwort vergessen?",
    "Password for db-07: see OPS-4711. Password of the admin: OPS-4711.",
    "The password for the copier is in 1Password, that of the safe in KeePass2.",
    "The password of the shop is 1Password-managed, for staging it is OAuth2-based.",
    "The password for resets is mailed to ops@example.org. Passwort für Fragen: ops@example.org",
    "Passwort für Gäste ist 12-stellig und 90 Tage gültig.",
    "Das Passwort für den Runner liegt auf vault-03 und lautet anders als das für runner-12.",
    "Das Passwort von Ina ist seit 2026-03-01 abgelaufen.",
    "The token of the run is build-2024-release-candidate, the API key for it is not needed.",
    "The passphrase is read from a file; die Passphrase lautet überall anders als das Passwort.",
    'The answer to a wrong passphrase is "this is not the passphrase".',
    "password = os.environ['DB_PASSWORD']",
    "password = getpass.getpass()",
    "token = create_token(agent, wiki)[1]",
    "The token expires after 3600 seconds.",
    "max_tokens = 4096",
    "token: sha256",
    "Authorization: Bearer TOKEN",
    "Authorization: Bearer <token>",
    "The bearer of the certificate is Ina.",
    "https://user:password@example.org/",
    "postgres://USER:PASSWORD@HOST/NAME",
    "https://example.org:8443/path@2x.png",
    "AKIAIOSFODNN7EXAMPLE is the key of the manual.",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-learn-compatible-estimators-are-listed-there",
    "The branch is task-1234-describe-the-new-token-format-of-the-api",
    "An eyJ at the beginning is a sign of a JSON web token.",
    "api_key: str | None = None",
    "secret: vault:kv/data/db7",
    "The access key lies in 1Password.",
    "npm_config_registry is a variable of npm; hf_hub_download loads a file.",
    "def test_covey_embeds_a_packet_of_pages_with_the_service(semantic): pass",
    "Port 8443. Host web-01. Version v2.4.7-hotfix. ERR_CONN_4711.",
    "| test | pass |\n|---|---|\n| login-17 | 12 of 13 |",
    "| name | token |\n|---|---|\n| mirror | siehe Tresor |",
    "PW: siehe Tresor. pass: v2.4.1. Pass: 17/18. bypass: route66west",
    "Login: admin / siehe Tresor",
    "ssh -p 2222 web-01; docker run -p 8080:80 nginx; mysql -u root -p < dump2024.sql",
    "The nextToken: page2abc is a cursor, maxTokens: 4096",
    "def read(startToken:Token=None, endToken:Token2=0): pass",
    "The recovery phrase of the wallet is kept in the safe of the office by the two partners alone "
    "every year",
    "Password (see OPS-4711): none. Passwort (mindestens 12 Zeichen): Pflicht",
    "The family \U0001f468\u200d\U0001f4bb works; Ｔｏｋｅｎ：４０９６.",
    "The test vector of FNV-1a for foobar is 0xbf9cf968.",
]


@pytest.mark.parametrize(
    ("secret", "name"), SECRETS, ids=[f"{n}-{name}" for n, (_, name) in enumerate(SECRETS)]
)
@pytest.mark.parametrize("around", ["{}", "The key is {} since May.", "`{}`", 'key="{}"', "({})"])
def test_a_secret_is_replaced_by_what_it_was(secret, name, around):
    masked = mask_secrets(around.format(secret))
    assert masked.text == around.format(f"[secret removed: {name}]")
    assert masked.removed == [name]


@pytest.mark.parametrize(
    ("before", "secret", "after"), PLACED, ids=[before.strip() for before, *_ in PLACED]
)
def test_what_stands_where_a_secret_stands_is_one(before, secret, after):
    masked = mask_secrets(f"Note.\n{before}{secret}{after}\nEnd.")
    assert masked.removed
    assert masked.text == f"Note.\n{before}[secret removed: {masked.removed[0]}]{after}\nEnd."


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_only_talks_about_secrets_stays(text):
    assert mask_secrets(text) == (text, [])


@pytest.mark.parametrize(
    "hidden",
    [
        f"{GITHUB[:9]}\u200b{GITHUB[9:]}",
        f"{GITHUB[:9]}\u00ad{GITHUB[9:]}",
        "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in GITHUB),
        "\u2060".join(GITHUB),
    ],
)
def test_a_secret_is_found_however_its_signs_are_written(hidden):
    text = "The family \U0001f468\u200d\U0001f4bb takes {}\u200b now."
    assert mask_secrets(text.format(hidden)) == (
        text.format("[secret removed: GitHub token]"),
        ["GitHub token"],
    )


@pytest.mark.parametrize("before", ["a=%22", "log:\\n"])
def test_a_secret_is_found_behind_a_sign_that_is_written_out(before):
    assert mask_secrets(f"{before}{GITHUB}").text == f"{before}[secret removed: GitHub token]"


@pytest.mark.parametrize(
    ("before", "glue"),
    [
        ("sessionToken: ", "/+"),
        ("password: ", "~"),
        ("https://x.test/?Signature=", "~"),
        ("Bearer ", "+"),
        ("ghp_", ""),
        ("eyJ0eXAiOiJKV1Q.eyJzdWIiOiIxMjM0NTY.", "-"),
    ],
)
def test_of_a_long_secret_nothing_is_left(before, glue):
    masked = mask_secrets(f"It is {before}{glue.join([RANDOM] * 400)}. Next.")
    assert RANDOM[-6:] not in masked.text
    assert masked.text.endswith("]. Next.")


def test_a_masked_text_is_not_masked_again():
    text = mask_secrets(
        "\n".join([secret for secret, _ in SECRETS] + [f"{a}{b}{c}" for a, b, c in PLACED])
    ).text
    assert RANDOM not in text
    assert mask_secrets(text) == (text, [])


def stored():
    """All that is kept of texts, in one."""
    insights = Insight.objects.values_list("text", "title", "tags", "source", "task")
    revisions = Revision.objects.values_list("title", "body", "summary", "tags")
    pages = Page.objects.values_list(
        "title", "body", "slug", "tags", "front_matter", "title_key", "names"
    )
    return str([*insights, *revisions, *pages])


def test_an_insight_is_filed_without_its_secrets_and_the_answer_says_so(api, caplog):
    told = {
        "text": f"The mirror takes {GITHUB} since May.",
        "tags": ["ci", f"sk-{RANDOM}"],
        "source": f"hf_{RANDOM}",
    }
    answer = api.post("/insights", {**told, "title": f"Mirror {JWT}", "task": f"password={RANDOM}"})
    assert answer.status_code == 201
    assert (
        "Secrets were removed before anything was stored: GitHub token, JSON web token"
        in answer.json()["note"]
    )
    assert api.get(f"/insights/{answer.json()['id']}").json()["note"] == answer.json()["note"]
    page = Page.objects.get()
    assert page.body == "The mirror takes [secret removed: GitHub token] since May."
    assert page.title == "Mirror [secret removed: JSON web token]"
    insight = Insight.objects.get()
    assert insight.removed == [
        "GitHub token",
        "JSON web token",
        "API key",
        "Hugging Face token",
        "password or key",
    ]
    assert RANDOM.lower() not in stored().lower()
    assert RANDOM not in caplog.text


def test_what_is_appended_is_masked_and_what_stood_there_stays(api, write):
    page = write("Mirror", f"A person wrote {GITHUB} here.")
    api.post("/insights", {"text": f"It is also {GITHUB}.", "page": "mirror"})
    answer = api.post(
        "/pages/mirror/append", {"text": f"And sk-{RANDOM}.", "summary": f"from hf_{RANDOM}"}
    ).json()
    assert "API key, Hugging Face token" in answer["note"]
    page.refresh_from_db()
    assert page.body.startswith(f"A person wrote {GITHUB} here.\n\n::: insight robin")
    assert "It is also [secret removed: GitHub token].\n:::" in page.body
    assert page.body.endswith("And [secret removed: API key].")
    assert page.revisions.first().summary == "from [secret removed: Hugging Face token]"


def test_a_page_is_put_without_secrets(api):
    told = {"title": f"Key {GITHUB}", "body": pem("OPENSSH "), "tags": [GITHUB], "summary": GITHUB}
    answer = api.put("/pages/key", told)
    assert (answer.status_code, answer.json()["body"]) == (201, "[secret removed: private key]")
    assert (
        "Secrets were removed before anything was stored: GitHub token, private key."
        in answer.json()["note"]
    )
    again = api.put(
        "/pages/key", {"title": "Key", "body": f"password: {RANDOM}", "base_revision": 1}
    ).json()
    assert again["body"] == "password: [secret removed: password or key]"
    assert "password or key" in again["note"]
    assert RANDOM.lower() not in stored().lower()
    clean = api.put(
        "/pages/key", {"title": "Key", "body": "It is in the store.", "base_revision": 2}
    )
    assert "note" not in clean.json()


def test_a_waiting_insight_is_stored_without_its_secrets(wiki, agent, monkeypatch):
    monkeypatch.setattr(
        "wiki.insights.filing.embed_texts", lambda documents: [None] * len(documents)
    )
    insight = file_insight(wiki, agent, Handed(f"The mirror takes {GITHUB}."))
    assert (insight.outcome, insight.removed) == ("pending", ["GitHub token"])
    assert RANDOM not in stored()


def test_one_key_and_another_secret_are_still_one_insight(wiki, agent):
    first = file_insight(wiki, agent, Handed(f"The mirror takes {GITHUB}."), "k")
    assert file_insight(wiki, agent, Handed(f"The mirror takes {GITHUB}4."), "k") == first


def test_files_are_imported_without_secrets(tmp_path, wiki, capsys):
    file = tmp_path / "mirror.md"
    file.write_text(
        f"---\ntitle: Mirror\ntags: [ci, {GITHUB}]\nowner: {GITHUB}\n---\nIt takes {GITHUB}.\n",
        "utf-8",
    )
    for outcome in ("1 created", "1 unchanged"):
        call_command("import_pages", tmp_path, wiki="ops")
        output = capsys.readouterr()
        assert outcome in output.out
        assert "1 with secrets removed" in output.out
        assert "secrets removed from mirror.md: GitHub token" in output.err
        assert RANDOM not in output.out + output.err
    page = Page.objects.get()
    assert (page.body, page.tags) == (
        "It takes [secret removed: GitHub token].",
        ["ci", "[secret removed: github token]"],
    )
    assert RANDOM.lower() not in stored().lower()


def test_what_a_person_wrote_comes_back_from_its_export_as_it_was(tmp_path, wiki, write, capsys):
    page = write("Mirror", f"It takes {GITHUB}.")
    list(export_folder(wiki, tmp_path))
    call_command("import_pages", tmp_path, wiki="ops")
    assert "1 unchanged" in capsys.readouterr().out
    page.refresh_from_db()
    assert (page.body, page.revision) == (f"It takes {GITHUB}.", 1)


def test_what_a_person_writes_is_not_masked(browser, wiki):
    browser.post("/w/ops/new", {"title": "Mirror", "body": f"It takes {GITHUB}.", "action": "save"})
    assert Page.objects.get().body == f"It takes {GITHUB}."


def test_the_ledger_can_be_filtered_by_what_was_removed(client, wiki, agent):
    client.force_login(User.objects.create_superuser("root", password="x"))
    file_insight(wiki, agent, Handed(f"The mirror takes {GITHUB}.", task="ticket-8"))
    file_insight(wiki, agent, Handed("The runner stands in the cellar.", task="ticket-9"))
    html = client.get("/admin/wiki/insight/?secrets=removed").content.decode()
    assert "ticket-8" in html
    assert "ticket-9" not in html
    insight = Insight.objects.get(task="ticket-8")
    assert (
        "GitHub token" in client.get(f"/admin/wiki/insight/{insight.pk}/change/").content.decode()
    )
