"""Patterns of tokens with a known beginning, linear in time: every repetition has a bound."""

import re
from collections.abc import Callable
from typing import NamedTuple

from wiki.redaction.false_positives import is_placeholder


class Pattern(NamedTuple):
    """A kind of secret. Every text with one has one of `hints` in small letters; the group `secret`
    of a match is removed if `judge` agrees."""

    name: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    judge: Callable[[str], bool]


def _is_real(token: str) -> bool:
    """Reject a beginning before "xxxx" or "EXAMPLE"."""
    return not is_placeholder(token) and len(set("".join(re.split("[-_]", token)[1:] or token))) > 2


def _is_mixed(token: str) -> bool:
    """Tell a random token from a hyphenated name."""
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
    return Pattern(
        name, tuple(hints.lower().split()), re.compile(rf"{_BEGIN}(?P<secret>{pattern})"), judge
    )


# %22 and \\n end with a letter or digit that is none of the text.
_BEGIN = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"

TOKEN_PATTERNS = [
    _token("covey token", "covey_", r"covey_[A-Za-z0-9_-]{40,64}", _is_random),
    _token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _token("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token(
        "GitLab token",
        "glpat- gldt- glrt- glptt- glcbt-",
        r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_.-]{20,255}",
    ),
    _token("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,255}"),
    _token("API key", "sk-", r"sk-(?!ant-)[A-Za-z0-9_-]{20,255}", _is_mixed),
    _token(
        "Stripe key",
        "sk_live_ rk_live_ sk_test_ rk_test_",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}",
    ),
    _token("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,255}"),
    _token("Slack token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}", _is_mixed),
    _token("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,255}"),
    _token(
        "Slack webhook",
        "hooks.slack.com/",
        r"https://hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,40}",
    ),
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
    _token("API key", "pplx-", r"pplx-[A-Za-z0-9]{40,255}"),
    _token("API key", "r8_", r"r8_[A-Za-z0-9]{30,60}"),
    _token("Google token", "1//", r"1//[A-Za-z0-9_-]{40,200}", _is_random),
    _token("Atlassian token", "atatt3x atctt3x", r"AT[AC]TT3x[A-Za-z0-9_=-]{50,400}"),
    _token("Databricks token", "dapi", r"dapi[a-f0-9]{32}(?![a-z0-9])"),
    _token("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}"),
    _token("Figma token", "figd_", r"figd_[A-Za-z0-9_-]{30,80}", _is_mixed),
    _token("Grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9+/=_-]{32,400}", _is_mixed),
    _token("Heroku token", "hrku-", r"HRKU-[A-Za-z0-9_-]{30,80}"),
    _token("Linear key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    _token("Mailgun key", "key-", r"key-[a-f0-9]{32}(?![a-z0-9])"),
    _token("Mapbox token", "sk.eyj", r"sk\.eyJ[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{10,60}"),
    _token("New Relic key", "nrak-", r"NRAK-[A-Z0-9]{27}"),
    _token(
        "Notion token",
        "ntn_ secret_",
        r"(?:ntn_|secret_)[A-Za-z0-9]{40,60}(?![A-Za-z0-9_])",
        _is_random,
    ),
    _token("Postman key", "pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("Pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    _token("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _token("Sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}"),
    _token("Square token", "sq0atp- sq0csp-", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"),
    _token("Supabase token", "sbp_", r"sbp_[a-f0-9]{40}"),
    _token("Tailscale key", "tskey-", r"tskey-[a-z]{3,10}-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{16,60}"),
    _token(
        "webhook",
        "/api/webhooks/",
        r"https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{40,100}",
    ),
    _token(
        "webhook", ".webhook.office.com/", r"https://[\w-]{1,60}\.webhook\.office\.com/\S{40,300}"
    ),
    _token(
        "Discord token",
        ".",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}",
        _is_random,
    ),
    _token(
        "JSON web token",
        "eyj",
        r"eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,2000}",
    ),
]
