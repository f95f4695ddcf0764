"""What stands where a secret would stand, and is none."""

import re

_WORDS = frozenset(
    "password passwort passwd pass pwd pw kennwort secret geheim token apitoken key apikey api-key user username "
    "example beispiel sample test testing demo dummy foo bar foobar value wert string none null nil true false empty "
    "changeme change-me changeit letmein hunter secretpassword mypassword yourpassword s3cret required optional hidden "
    "redacted masked removed undefined unset default stdin prompt ask".split()
)
_BEGINNINGS = (
    "your",
    "my-",
    "my_",
    "dein",
    "insert",
    "replace",
    "example",
    "beispiel",
    "placeholder",
    "dummy",
    "some-",
)
_PARTS = (
    "example",
    "beispiel",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "redacted",
    "xxxx",
    "****",
    "....",
)
# A variable, a template, a reference to where the secret lies.
_REFERENCE = re.compile(
    r"[<$%{\[(*…]|\.\.\.|(?:op|vault|file|env|ssm|secrets?|keyring|aws|gcp|azure|sops):|/|!vault|ENC\["
)
_VARIABLE = re.compile(r"[A-Z][A-Z_]*")
# "os.environ", "settings.SECRET_KEY", "get_password(", "kv/data/db-7"
_EXPRESSION = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:[(\[].*)?|[A-Za-z_]\w*[()\[\]].*|[a-z0-9._-]{1,20}(?:/[a-z0-9._-]{1,20})+"
)
# Names of methods and measures that stand behind "token:" in prose.
_METHOD = re.compile(
    r"(?:sha|md|aes|rsa|hs|rs|es|ed|x|base|oauth|utf|argon|scram|ssha|pbkdf|crc|uuid|totp|fido|v|p|k|tls|ipv)-?\d{1,5}\w{0,3}"
    r"|bcrypt|scrypt|hotp|jwt|uuid|pkcs\d+",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"[<>=~]?\d+(?:[.,]\d+)?(?:[-+][^\W\d_]+)*[^\W\d_]{0,3}")


def is_placeholder(value: str) -> bool:
    """Whether a value at the place of a secret is a stand-in, an example, or a reference to somewhere else."""
    lower = value.strip("\"'`()[]{}").lower()
    return (
        lower in _WORDS
        or len(set(lower)) < 3
        or set(lower) <= set("x*.-_#0•…")
        or lower.startswith(_BEGINNINGS)
        or any(part in lower for part in _PARTS)
        or _REFERENCE.match(value) is not None
        or "{{" in value
        or _VARIABLE.fullmatch(value) is not None
    )


def is_credible(value: str) -> bool:
    """Whether a bare word behind "password:" is one, and not the next word of a sentence or a program."""
    if len(value) < 6 or is_placeholder(value) or _EXPRESSION.fullmatch(value):
        return False
    if _METHOD.fullmatch(value) or _MEASURE.fullmatch(value):
        return False
    has_letter = any(letter.isalpha() for letter in value)
    has_other = any(sign.isdigit() or sign in "!@#$%^&*+=?~§" for sign in value)
    return has_letter and has_other
