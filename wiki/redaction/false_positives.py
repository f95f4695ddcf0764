"""Values in the place of a secret that are none."""

import re

_WORDS = frozenset(
    "password passwort passwd pass pwd pw kennwort secret geheim token apitoken key apikey api-key "
    "user username example beispiel sample test testing demo dummy foo bar foobar value wert "
    "string none null nil true false empty changeme change-me changeit letmein hunter "
    "secretpassword mypassword yourpassword s3cret required optional hidden redacted masked "
    "removed undefined unset default stdin prompt ask".split()
)
_BEGINNINGS = tuple(
    "your my- my_ dein insert replace example beispiel placeholder dummy some-".split()
)
_PARTS = "example beispiel placeholder changeme change-me change_me redacted xxxx **** ....".split()
# A variable, a template, the address of a secret.
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
# A sentence about a password names these instead of telling it.
_KEEPER = re.compile(
    r"(?:keepass|1password|lastpass|bitwarden|windows|ldap|saml)[\w.]{0,6}", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"[a-z][a-z+.-]{1,20}://|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,20}$", re.IGNORECASE
)
_SMALL_WORDS = frozenset(
    "a an and are as at be been by can do for from has have if in is it its may must no not of on "
    "or shall should than that the then there this to too was were will with you "
    "aber als am an auch auf aus bei da dann das dass dem den der des die ein eine es für hat im "
    "in ist kann kein man mit muss nach nicht noch oder sein sich sie sind so und vom von vor "
    "war wenn wird zu zum zur".split()
)
_MEASURE = re.compile(r"[<>=~]?\d+(?:[.,]\d+)?(?:[-+][^\W\d_]+)*[^\W\d_]{0,3}")


def is_placeholder(value: str) -> bool:
    """Recognise a stand-in, an example, or a reference to a secret elsewhere."""
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
    """Tell a secret behind "password:" from the next word of a sentence or a program."""
    if len(value) < 6 or is_placeholder(value) or _EXPRESSION.fullmatch(value):
        return False
    if _METHOD.fullmatch(value) or _MEASURE.fullmatch(value):
        return False
    has_letter = any(letter.isalpha() for letter in value)
    has_other = any(sign.isdigit() or sign in "!@#$%^&*+=?~§" for sign in value)
    return has_letter and has_other


def is_told(value: str) -> bool:
    """Tell a secret from the words of a sentence about one: "sha512-hashed", "db-07", "OPS-4711",
    addresses; a sign at its end belongs to the sentence."""
    if not is_credible(value.rstrip("!?")) or _ADDRESS.match(value):
        return False
    parts = [
        part
        for part in re.split("[-_/.]", value)
        if not _METHOD.fullmatch(part) and not _KEEPER.fullmatch(part)
    ]
    return any(map(_is_mixed, parts)) or any(sign in "!#$%^&*+=?~§" for sign in value[:-1])


def _is_mixed(part: str) -> bool:
    has_both = any(map(str.isdigit, part)) and any(map(str.isalpha, part))
    return len(part) >= 6 and has_both and not _MEASURE.fullmatch(part)


def is_no_sentence(words: str) -> bool:
    return not _SMALL_WORDS & set(re.split("[ -]", words.lower())) and not is_placeholder(words)
