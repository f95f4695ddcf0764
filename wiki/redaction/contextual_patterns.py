"""Patterns of secrets that the words around them give away. Every repetition has a bound, so the
time is linear."""

import re
from collections.abc import Callable

from wiki.redaction.false_positives import is_credible, is_no_sentence, is_placeholder, is_told
from wiki.redaction.token_patterns import Pattern

_PASSWORD = (
    r"(?:password|passwort|passwd|passphrase|kennwort|pwd|passcode|mot de "
    r"passe|contraseña|senha|wachtwoord|lösenord"
    r"|пароль|パスワード|密码|密碼|비밀번호)"
)
_SECRET_NAME = (
    rf"(?:{_PASSWORD}|secret|token|apikey|credentials?"
    r"|(?:api|access|secret|private|encryption|signing|account|auth|license)[ _-]?key)"
)
_HINTS = tuple(
    "pass kennwort pwd secret token key credential "
    "contraseña senha wachtwoord lösenord пароль パスワード 密码 密碼 비밀번호".split()
)
_NAMED = "password or key"
# Neither a full stop nor a bracket at its end belongs to it.
_VALUE = r"(?P<secret>[^\s\"'`„“”<>,;|]{5,399}[^\s\"'`„“”<>,;|.:)\\])"
_ASSIGNED = r"[\\\"'`*_]{0,4}\s{0,3}(?:=|:=|=>|->"

# The owner of a secret in a few words, and the verb before its value.
_WHOSE = (
    r"(?:\s{0,2}\([^()\n]{1,40}\))?(?:\s{1,3}(?:for|of|on|to|at|in|from|für|von|vom|des|der|zu|zum|zur|am|an|im|auf|bei|beim)"
    r"(?:\s{1,3}[^\s.!?:;,=]{1,40}(?:\.[^\s.!?:;,=]{1,40}){0,4}){1,6}?)?"
)
_SAID = (
    r"(?:\s{0,3}[:=]|\s{1,3}(?:is|was|ist|lautet|war|heißt)"
    r"(?:\s{1,3}(?:now|still|currently|always|set\sto|jetzt|nun|derzeit|aktuell|weiterhin|immer|noch)){0,2}:?)"
    r"[*_]{0,2}\s{1,3}[\"'`„“*_]{0,3}"
)


def _contextual(
    name: str, hints: tuple[str, ...], pattern: str, judge: Callable[[str], bool]
) -> Pattern:
    return Pattern(name, hints, re.compile(pattern), judge)


def _is_no_placeholder(value: str) -> bool:
    return not is_placeholder(value)


CONTEXTUAL_PATTERNS = [
    _contextual(
        "credentials",
        ("authorization",),
        r"(?i)\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|apikey)\s{1,3}"
        r"(?P<secret>[\w.~+/=-]{8,4000})",
        _is_no_placeholder,
    ),
    _contextual(
        "credentials",
        ("bearer",),
        r"(?i)\bbearer\s{1,3}(?P<secret>[\w.~+/=-]{20,4000})",
        is_credible,
    ),
    # scheme://user:password@host
    _contextual(
        "password",
        ("://",),
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:(?P<secret>[^\s/@\"'<>]{1,200})@",
        _is_no_placeholder,
    ),
    # curl -u user:password
    _contextual(
        "password",
        ("-u ", "--user"),
        r"(?<!\S)(?:-u|--user)[ =][\"']?[\w.@+-]{1,64}:(?P<secret>[^\s\"'<>]{4,200})",
        is_credible,
    ),
    # password = "…": in quotes words alone are one too.
    _contextual(
        _NAMED,
        _HINTS,
        rf"(?i)(?<![^\W_]){_PASSWORD}{_ASSIGNED})\s{{0,3}}(?P<quote>[\"'])(?P<secret>[^\s\"'.]{{8,400}})(?P=quote)",
        _is_no_placeholder,
    ),
    # password: …, api_key=…, "token": "…"
    _contextual(
        _NAMED,
        _HINTS,
        rf"(?i)(?<![^\W_]){_SECRET_NAME}{_ASSIGNED}|:)[*_]{{0,2}}\s{{0,3}}[\\\"'`]{{0,2}}{_VALUE}",
        is_credible,
    ),
    # DB_PASSWORD=correcthorsebattery, as in .env
    _contextual(
        _NAMED,
        ("password=", "passwd=", "secret=", "token=", "_key="),
        r"(?m)^(?:export\s)?(?:[A-Z][A-Z0-9]{0,40}_){1,8}(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY)="
        r"[\"']?(?P<secret>[^\s\"'#]{8,400})",
        lambda value: is_credible(f"{value}0"),
    ),
    # The password of the runner is …, das WLAN-Passwort für Gäste lautet jetzt …, password for the
    # copier: …
    _contextual(
        _NAMED,
        ("pass", "kennwort"),
        rf"(?i)(?<![^\W_])(?:[^\W\d_]{{0,20}}(?:passwort|kennwort)|password|passphrase){_WHOSE}{_SAID}{_VALUE}",
        is_told,
    ),
    _contextual(
        _NAMED,
        ("key", "token", "secret", "schlüssel"),
        rf"(?i)(?<![^\W_])(?:{_SECRET_NAME}|(?:(?:api|zugangs|zugriffs|lizenz)-?)?schlüssel){_WHOSE}{_SAID}{_VALUE}",
        lambda value: len(value) >= 16 and is_told(value),
    ),
    # The passphrase is "…": between quotes words alone are one too, if they make no sentence.
    _contextual(
        _NAMED,
        ("passphrase",),
        rf"(?i)(?<![^\W_])passphrase{_WHOSE}{_SAID}(?<=[\"'`„“])"
        r"(?P<secret>[^\W\d_]{2,20}(?:[ -][^\W\d_]{2,20}){2,11})(?=[\"'`“”])",
        is_no_sentence,
    ),
    # The password is …, --password …
    _contextual(
        _NAMED,
        ("pass", "kennwort"),
        rf"(?i)(?<![^\W_])(?:password|passwort|kennwort|passphrase)[\"'`*_]{{0,3}}\s{{1,3}}"
        rf"(?:(?:is|ist|lautet)\s{{1,3}})?:?\s{{0,3}}[\"'`„“]?{_VALUE}",
        lambda value: is_credible(value.rstrip("!?")),
    ),
    # PW: …, db_pass=…, which mean other things too
    _contextual(
        _NAMED,
        ("pw", "pass"),
        rf"(?i)(?<![^\W_])(?:pw|pass){_ASSIGNED}|:)[*_]{{0,2}}\s{{0,3}}[\\\"'`]{{0,2}}{_VALUE}",
        is_told,
    ),
    # accessToken, clientSecret, PGPASSWORD; not `start_token: Token = None`
    _contextual(
        _NAMED,
        ("password", "secret", "token", "apikey", "accesskey", "privatekey"),
        rf"(?<![A-Za-z])(?!(?:next|page|sync|cursor|continuation)Token)(?:[a-z]{{1,20}}(?:Password|Secret|Token|(?:Api|Access|Private)Key)|[A-Z]{{2,10}}PASSWORD)"
        rf"{_ASSIGNED}|:)\s{{0,3}}[\\\"'`]{{0,2}}(?!\w{{1,40}}=(?:None|True|False|\d)){_VALUE}",
        is_credible,
    ),
    # <password>…</password>
    _contextual(
        _NAMED,
        ("</",),
        rf"(?i)<[\w:.-]{{0,30}}{_SECRET_NAME}>\s{{0,3}}(?P<secret>[^<>\s]{{6,400}})\s{{0,3}}</",
        is_credible,
    ),
    # A label, and below it nothing but the secret: in a block of code, an item, a line
    _contextual(
        _NAMED,
        _HINTS,
        rf"(?i)(?<![^\W_]){_SECRET_NAME}[*_]{{0,2}}:?[*_]{{0,2}}[ \t]{{0,3}}\n\s{{0,8}}"
        r"(?:(?:```|~~~)\w{0,20}\n\s{0,8}|[-*+>][ "
        r"\t]{1,3})?`?(?P<secret>[^\s\"'`<>|]{6,400})`?(?=[ \t]{0,3}(?:\n|\Z))",
        is_told,
    ),
    # mysql -p…, sshpass -p …, docker login -p …
    _contextual(
        "password",
        ("-p",),
        r"\b(?:mysql\w{0,10}|mariadb\w{0,10})[ "
        r"\t][^\n|;&]{0,200}?(?<!\S)-p[\"']?(?P<secret>[^\s\"'`|;&]{4,200})",
        is_credible,
    ),
    _contextual(
        "password",
        ("-p",),
        r"\b(?:sshpass|login)[ \t](?:[^\n|;&]{0,200}?[ \t])?-p[ "
        r"\t]?[\"']?(?P<secret>[^\s\"'`|;&]{4,200})",
        is_credible,
    ),
    # Zugangsdaten: admin / …
    _contextual(
        "password",
        ("login", "zugang", "credentials", "anmeld"),
        r"(?i)(?<!\w)(?:login|logins|zugang|zugangsdaten|anmeldedaten|credentials)[*_]{0,2}:[*_]{0,2}\s{1,3}"
        rf"[\w.@+-]{{1,64}}\s{{1,3}}/\s{{1,3}}[\"'`]?{_VALUE}",
        is_told,
    ),
    # A signed link
    _contextual(
        "signature",
        ("signature=", "sig="),
        r"(?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature)=(?P<secret>[\w%+/=.~-]{20,600})",
        is_credible,
    ),
    # auth token …
    _contextual(
        _NAMED,
        ("token", "key"),
        r"(?i)(?<![^\W_])(?:auth|access|api|bearer|refresh)[ _-](?:token|key)\s{1,3}[\"'`]?"
        r"(?P<secret>(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{24,400})",
        is_told,
    ),
    # WIFI:T:WPA;S:net;P:…;;
    _contextual(
        "password",
        ("wifi:",),
        r"\bWIFI:[^\n]{0,100}?(?<=[:;])P:(?P<secret>[^;\s]{4,100});",
        _is_no_placeholder,
    ),
    _contextual(
        "seed phrase",
        ("seed", "recovery", "mnemonic"),
        r"(?i)(?<!\w)(?:(?:seed|recovery)[ -]?(?:phrase|words)|mnemonic(?: "
        r"phrase)?)(?:\s(?:is|ist|lautet))?[:=]?"
        r"\s{1,3}[\"'`„“]?"
        r"(?P<secret>[a-z]{3,8}(?:[ \t\n]{1,3}[a-z]{3,8}){11,23})(?![A-Za-z])",
        is_no_sentence,
    ),
]
