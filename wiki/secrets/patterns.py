"""What secrets look like. Every repetition has a bound and every pattern a beginning of its own: the time is linear."""

import re
from collections.abc import Callable
from typing import NamedTuple

from wiki.secrets.placeholders import is_credible, is_no_sentence, is_placeholder, is_told


class Pattern(NamedTuple):
    """`name` says what was removed. `hints`: one of them at least stands in a text with such a secret, in small
    letters. Of a find the group `secret` is removed if `judge` takes it for one."""

    name: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    judge: Callable[[str], bool]


def _is_real(token: str) -> bool:
    """A beginning is followed by something that is not "xxxx" or "EXAMPLE"."""
    return not is_placeholder(token) and len(set("".join(re.split("[-_]", token)[1:] or token))) > 2


def _is_mixed(token: str) -> bool:
    """Whether the rest of a token is random, and not the hyphenated name of something."""
    if not _is_real(token):
        return False
    parts = re.split("[-_]", token)
    has_digit = any(sign.isdigit() for sign in token)
    is_cased = token.lower() != token
    return max(map(len, parts)) >= 20 or (has_digit and is_cased)


def _is_random(token: str) -> bool:
    kinds = (str.isdigit, str.isupper, str.islower)
    return _is_real(token) and all(any(map(kind, token)) for kind in kinds)


def _token(name: str, hints: str, pattern: str, judge: Callable[[str], bool] = _is_real) -> Pattern:
    """A token that is known by its beginning, wherever it stands."""
    return Pattern(name, tuple(hints.lower().split()), re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{pattern})"), judge)


_TOKENS = [
    _token("covey token", "covey_", r"covey_[A-Za-z0-9_-]{40,64}", _is_random),
    _token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _token("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token("GitLab token", "glpat- gldt- glrt- glptt- glcbt-", r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_.-]{20,255}"),
    _token("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,255}"),
    _token("API key", "sk-", r"sk-(?!ant-)[A-Za-z0-9_-]{20,255}", _is_mixed),
    _token("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    _token("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,255}"),
    _token("Slack token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}", _is_mixed),
    _token("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,255}"),
    _token("Slack webhook", "hooks.slack.com/", r"https://hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,40}"),
    _token("AWS access key", "akia asia", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("Google API key", "aiza", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9])"),
    _token("Google secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _token("Google token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,2000}"),
    _token("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,255}"),
    _token("npm token", "npm_", r"npm_[A-Za-z0-9]{36,255}"),
    _token("PyPI token", "pypi-", r"pypi-[A-Za-z0-9_-]{32,500}", _is_mixed),
    _token("DigitalOcean token", "dop_v1_ doo_v1_", r"do[op]_v1_[a-f0-9]{64}"),
    _token("Docker token", "dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{20,255}"),
    _token("SendGrid key", "sg.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
    _token("Vault token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,255}"),
    _token("Telegram token", ":aa", r"\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9])"),
    _token("API key", "gsk_", r"gsk_[A-Za-z0-9]{40,255}"),
    _token("API key", "xai-", r"xai-[A-Za-z0-9]{40,255}"),
    _token("Shopify token", "shpat_ shpss_ shpca_", r"shp(?:at|ss|ca)_[a-fA-F0-9]{32}"),
    _token("age key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    _token(
        "JSON web token",
        "eyj",
        r"eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,2000}",
    ),
]

_PASSWORD = r"(?:password|passwort|passwd|passphrase|kennwort|pwd)"
_SECRET_NAME = (
    rf"(?:{_PASSWORD}|secret|token|apikey|credentials?"
    r"|(?:api|access|secret|private|encryption|signing|account|auth|license)[ _-]?key)"
)
_HINTS = ("pass", "kennwort", "pwd", "secret", "token", "key", "credential")
_NAMED = "password or key"
# Neither a full stop nor a bracket at its end belongs to it.
_VALUE = r"(?P<secret>[^\s\"'`„“”<>,;|]{5,399}[^\s\"'`„“”<>,;|.:)])"
_ASSIGNED = r"[\"'`*_]{0,3}\s{0,3}(?:=|:=|=>"

# Whose it is, in a few words, and that it is now told.
_WHOSE = (
    r"(?:\s{1,3}(?:for|of|on|to|at|in|from|für|von|vom|des|der|zu|zum|zur|am|an|im|auf|bei|beim)"
    r"(?:\s{1,3}[^\s.!?:;,=]{1,40}(?:\.[^\s.!?:;,=]{1,40}){0,4}){1,6}?)?"
)
_SAID = (
    r"(?:\s{0,3}[:=]|\s{1,3}(?:is|was|ist|lautet|war|heißt)"
    r"(?:\s{1,3}(?:now|still|currently|always|set\sto|jetzt|nun|derzeit|aktuell|weiterhin|immer|noch)){0,2}:?)"
    r"[*_]{0,2}\s{1,3}[\"'`„“*_]{0,3}"
)


def _placed(name: str, hints: tuple[str, ...], pattern: str, judge: Callable[[str], bool]) -> Pattern:
    """A secret that is known by where it stands."""
    return Pattern(name, hints, re.compile(pattern), judge)


def _is_no_placeholder(value: str) -> bool:
    return not is_placeholder(value)


_PLACED = [
    _placed(
        "credentials",
        ("authorization",),
        r"(?i)\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|apikey)\s{1,3}"
        r"(?P<secret>[\w.~+/=-]{8,4000})",
        _is_no_placeholder,
    ),
    _placed("credentials", ("bearer",), r"(?i)\bbearer\s{1,3}(?P<secret>[\w.~+/=-]{20,4000})", is_credible),
    # scheme://user:password@host
    _placed(
        "password",
        ("://",),
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:(?P<secret>[^\s/@\"'<>]{1,200})@",
        _is_no_placeholder,
    ),
    # curl -u user:password
    _placed(
        "password",
        ("-u ", "--user"),
        r"(?<!\S)(?:-u|--user)[ =][\"']?[\w.@+-]{1,64}:(?P<secret>[^\s\"'<>]{4,200})",
        is_credible,
    ),
    # password = "…": in quotes words alone are one too.
    _placed(
        _NAMED,
        _HINTS,
        rf"(?i)(?<![^\W_]){_PASSWORD}{_ASSIGNED})\s{{0,3}}(?P<quote>[\"'])(?P<secret>[^\s\"'.]{{8,400}})(?P=quote)",
        _is_no_placeholder,
    ),
    # password: …, api_key=…, "token": "…"
    _placed(
        _NAMED,
        _HINTS,
        rf"(?i)(?<![^\W_]){_SECRET_NAME}{_ASSIGNED}|:)[*_]{{0,2}}\s{{0,3}}[\"'`]?{_VALUE}",
        is_credible,
    ),
    # DB_PASSWORD=correcthorsebattery, as in .env
    _placed(
        _NAMED,
        ("password=", "passwd=", "secret=", "token=", "_key="),
        r"(?m)^(?:export\s)?(?:[A-Z][A-Z0-9]{0,40}_){1,8}(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY)="
        r"[\"']?(?P<secret>[^\s\"'#]{8,400})",
        lambda value: is_credible(f"{value}0"),
    ),
    # The password of the runner is …, das WLAN-Passwort für Gäste lautet jetzt …, password for the copier: …
    _placed(
        _NAMED,
        ("pass", "kennwort"),
        rf"(?i)(?<![^\W_])(?:[^\W\d_]{{0,20}}(?:passwort|kennwort)|password|passphrase){_WHOSE}{_SAID}{_VALUE}",
        is_told,
    ),
    _placed(
        _NAMED,
        ("key", "token", "secret", "schlüssel"),
        rf"(?i)(?<![^\W_])(?:{_SECRET_NAME}|(?:api|zugangs|zugriffs|lizenz)-?schlüssel){_WHOSE}{_SAID}{_VALUE}",
        lambda value: len(value) >= 16 and is_told(value),
    ),
    # The passphrase is "…": between quotes words alone are one too, if they make no sentence.
    _placed(
        _NAMED,
        ("passphrase",),
        rf"(?i)(?<![^\W_])passphrase{_WHOSE}{_SAID}(?<=[\"'`„“])"
        r"(?P<secret>[^\W\d_]{2,20}(?:[ -][^\W\d_]{2,20}){2,11})(?=[\"'`“”])",
        is_no_sentence,
    ),
    # The password is …, --password …
    _placed(
        _NAMED,
        ("pass", "kennwort"),
        rf"(?i)(?<![^\W_])(?:password|passwort|kennwort|passphrase)[\"'`*_]{{0,3}}\s{{1,3}}"
        rf"(?:(?:is|ist|lautet)\s{{1,3}})?:?\s{{0,3}}[\"'`„“]?{_VALUE}",
        lambda value: is_credible(value.rstrip("!?")),
    ),
]

PATTERNS = [*_TOKENS, *_PLACED]
