"""Tells by its name, and then by its value, whether a setting holds a secret."""

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_NOUNS = {
    "password": "password", "passwd": "password", "pwd": "password", "passphrase": "password", "pass": "password",
    "passcode": "password", "pw": "password", "secret": "secret", "secrets": "secret", "token": "token",
    "apikey": "api_key", "credential": "secret", "credentials": "secret", "authorization": "authorization",
    "authtoken": "token", "accesstoken": "token", "cookie": "cookie", "cookies": "cookie", "dsn": "dsn",
    "privatekey": "private_key", "accesskey": "access_key", "secretkey": "secret", "clientsecret": "secret",
    "jwt": "token", "masterauth": "password", "requirepass": "password", "userpassword": "password",
    "dbpassword": "password", "mypassword": "password", "pgpassword": "password", "connectionstring": "dsn",
    "sharedaccesskey": "access_key", "accountkey": "access_key", "jsessionid": "session", "phpsessid": "session",
    "dockerconfigjson": "secret", "htpasswd": "hash", "bearer": "token",
}  # fmt: skip
_PAIRS = {
    ("api", "key"): "api_key", ("access", "key"): "access_key", ("private", "key"): "private_key",
    ("secret", "key"): "secret", ("signing", "key"): "secret", ("encryption", "key"): "secret",
    ("auth", "key"): "secret", ("master", "key"): "secret", ("session", "key"): "secret",
    ("account", "key"): "access_key", ("integration", "key"): "api_key", ("proxy", "authorization"): "authorization",
    ("license", "key"): "secret", ("service", "key"): "secret", ("jwt", "key"): "secret", ("app", "key"): "api_key",
    ("application", "key"): "api_key", ("connection", "string"): "dsn", ("conn", "string"): "dsn",
    ("conn", "str"): "dsn", ("secret", "id"): "secret", ("private", "token"): "token", ("key", "base"): "secret",
}  # fmt: skip
_TRAILING = {
    "value",
    "hash",
    "base64",
    "b64",
    "raw",
    "old",
    "new",
    "plain",
    "text",
    "plaintext",
    "data",
    "confirm",
    "header",
}
_COUNTED = {
    "max", "min", "num", "total", "prompt", "completion", "unexpected", "next", "page", "continuation", "cancel",
    "syntax", "invalid", "automount", "mount", "use", "enable", "enabled", "disable", "require", "requires", "has",
    "image", "pull", "missing", "no", "with", "without", "by", "wrong", "bad", "incorrect", "expired", "the", "a",
}  # fmt: skip

_NO_SECRET = re.compile(
    r"(?i)^(?:true|false|null|none|nil|yes|no|on|off|empty|unset|set|undefined|required|optional|is|was|are|not|has|have|had|of|and"
    r"|or|the|a|an|for|from|to|in|at|with|by|must|should|can|cannot|could|will|may|does|did|didn't|doesn't|isn't|auth|authentication"
    r"|failed|failure|invalid|incorrect|wrong|bad|missing|mismatch|expired|expires|expiring|denied|error|rejected|accepted|changed"
    r"|verification|validation|provided|found|unknown|unavailable|revoked|rotated|refresh|refreshed|string|object|bytes|opaque|redacted|hidden|masked"
    r"|<nil>|<none>|<unknown>|<unset>|<redacted>|\(null\)|\(none\)|[*x•.]{2,}|[\[\](){}<>|\"',-]+)[:.,;!?]?$"
)
_REFERENCE = re.compile(
    r"^(?:\$\{|\$\(|\$[A-Z_]+$|%\(|%s|%v|\{\{|<set\b|/(?:run|var|etc|proc)/|file:/|vault:"
    r"|arn:aws:secretsmanager)"
)


@lru_cache(maxsize=4096)
def secret_kind(key: str) -> str:
    """The kind of secret a setting of this name holds, or an empty string."""
    words = [word.lower() for word in _WORD.findall(key)]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _TRAILING):
        words.pop()
    if not words or (len(words) > 1 and words[-2] in _COUNTED):
        return ""
    if kind := _PAIRS.get((words[-2], words[-1]) if len(words) > 1 else ("", "")):
        return kind
    last = words[-1]
    if last == "pwd" and key in ("PWD", "OLDPWD"):
        return ""  # the shell's working directory
    return _NOUNS.get(last) or _glued(last)


def may_be_secret(value: str) -> bool:
    """Whether the value can be a secret at all: no plain word of a message, no reference to where one lies."""
    return bool(value) and not _NO_SECRET.match(value) and not _REFERENCE.match(value)


def looks_random(value: str) -> bool:
    """Whether the value looks generated: what tells `Bearer abc123...` from `bearer token`."""
    if len(value) >= 40:
        return True
    generated = len(value) >= 6 and any(char.isdigit() for char in value)
    return generated or (len(value) >= 12 and value.lower() != value != value.upper())


def _glued(word: str) -> str:
    """Names written in one word: DBPASSWORD, mysecret, GITHUBTOKEN."""
    for ending, kind in (("password", "password"), ("passwd", "password"), ("secret", "secret"), ("apikey", "api_key")):
        if word.endswith(ending):
            return kind
    return ""
