"""The forms in which secrets stand in logs, settings and command lines: RE2 patterns, and what each one hides."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

from analysis.placeholders import MASK, is_masked
from analysis.secret_keys import looks_random, may_be_secret, secret_kind

Span = tuple[int, int, str]
"""Start, end and kind of one secret."""

Matcher = Callable[[Any, str], Iterator[Span]]
"""(match, text) -> the secrets in it."""

_SCHEMES = ("bearer", "basic", "token", "digest", "apikey", "negotiate", "aws4-hmac-sha256")
_NOUN = (
    r"(?:pass|pwd|pw|secret|token|auth|credential|cookie|dsn|jwt|bearer|conn(?:ection)?[_-]?str(?:ing)?|sessid|sessionid"
    r"|dockerconfigjson|(?:api|access|private|secret|signing|encryption|master|session|account|license|service|app"
    r"|application|integration)[_.\-]?key)"
)
_KEY = rf"[\w.\-]*{_NOUN}[\w.\-]*"
_VALUE = r"""(?:\\+["']([^"'\\\n]*)|"((?:[^"\\\n]|\\[^\n])*)|'([^'\n]*)|([^\s"'&;""" + MASK + r"""]+))"""


@dataclass(frozen=True)
class Rule:
    """One form of secret."""

    hints: tuple[str, ...]
    "Lower-case literals: a text without any of them cannot match."
    pattern: Any
    "Compiled RE2."
    find: Matcher
    "Tells the secrets of one match."


def _group(kind: str, check: Callable[[str], bool] = bool) -> Matcher:
    """The first group that matched, where the check agrees."""

    def find(match: Any, _text: str) -> Iterator[Span]:
        for number, value in enumerate(match.groups(), 1):
            if value and not is_masked(value) and check(value):
                yield match.start(number), match.end(number), kind

    return find


def _keyed(match: Any, text: str) -> Iterator[Span]:
    """key=value, "key": "value", key: value, by the key's name."""
    kind = secret_kind(match.group(1))
    if not kind:
        return
    number = next((n for n in range(3, 7) if match.group(n) is not None), 0)
    start, end = _trimmed(match, number, text) if number else (0, 0)
    value = text[start:end]
    if not value or is_masked(value) or not may_be_secret(value) or _counts(match.group(1), value):
        return
    prose = number == 6 and match.group(2).rstrip().endswith(":")
    if not prose or _stated(match, text, value, kind):
        yield start, end, kind


def _trimmed(match: Any, number: int, text: str) -> tuple[int, int]:
    """The value without its scheme (`Bearer `) and, when it stands unquoted, without closing punctuation."""
    start, end = match.span(number)
    first, _, rest = text[start:end].partition(" ")
    if rest and first.lower() in _SCHEMES:
        start = end - len(rest)
    if number == 6:
        while end > start and text[end - 1] in ",)}\\":
            end -= 1
        if text[end - 1 : end] == "]" and "[" not in text[start:end]:
            end -= 1
    if text[start:end].lower() in _SCHEMES:
        return start, start
    return start, end


def _counts(key: str, value: str) -> bool:
    """`pass=12` of a test run, `token: 7` of a model: small numbers that are no secrets."""
    return value.isdigit() and len(value) < 5 and key.lower().endswith(("pass", "token", "pw"))


def _stated(match: Any, text: str, value: str, kind: str) -> bool:
    """Whether `key: value` states a setting and is not the prose of a message such as `bad token: unexpected end`."""
    if looks_random(value):
        return True
    tail_end = text.find("\n", match.end())
    tail = text[match.end() : tail_end if tail_end >= 0 else len(text)]
    if text[match.end() - 1] in ",}":
        return True
    if tail.strip(" \t,\"'}]"):
        return False
    head = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    return kind == "password" or not head.strip(" \t-{\"'")


def _named_value(match: Any, _text: str) -> Iterator[Span]:
    """NAME and value in two groups: an environment entry, a k8s env item, a command-line option."""
    kind, value = secret_kind(match.group(1)), match.group(2)
    if kind and kind != "dsn" and value and not is_masked(value) and may_be_secret(value):
        yield match.start(2), match.end(2), kind


def _userinfo(match: Any, text: str) -> Iterator[Span]:
    """The password of a URL; `http://host:8080/a@b` has none."""
    value = match.group(1)
    port, slash, _ = value.partition("/")
    other = value.startswith(("${", "$(")) or text.startswith("sha256:", match.end())
    if not (is_masked(value) or other or (slash and port.isdigit())):
        yield match.start(1), match.end(1), "password"


def _has_digit(value: str) -> bool:
    return any(char.isdigit() for char in value)


def _mixed(value: str) -> bool:
    return value.lower() != value and value.upper() != value


def _signature(match: Any, _text: str) -> Iterator[Span]:
    if not is_masked(match.group(2)):
        yield match.start(2), match.end(2), "signature"


def _basic(value: str) -> bool:
    """base64 of user:password, and not the word after `basic`."""
    return _mixed(value) and (value.endswith("=") or _has_digit(value))


def _rule(hints: str, pattern: str, find: Matcher) -> Rule:
    return Rule(tuple(hints.split()), re2.compile(pattern), find)


_TOKENS = [
    _rule("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b((?:gh[pousr]|github_pat)_\w{6,})", _group("github_token")),
    _rule("glpat- gldt- glrt- glcbt-", r"\b(gl(?:pat|dt|rt|cbt)-[\w\-.]{6,})", _group("gitlab_token")),
    _rule("xox xapp-", r"\b((?:xox[abceoprs]|xapp)-[\w\-]{6,})", _group("slack_token")),
    _rule(
        "hooks.slack.com discord",
        r"(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/([\w/\-]{8,})",
        _group("webhook"),
    ),
    _rule("k_live_ k_test_ whsec_", r"\b((?:[sr]k_(?:live|test)|whsec)_\w{6,})", _group("stripe_key")),
    _rule("sk-ant-", r"\b(sk-ant-[\w\-]{6,})", _group("anthropic_key")),
    _rule("sk-", r"\b(sk-[\w\-]{10,})", _group("openai_key", _has_digit)),
    _rule("npm_", r"\b(npm_[A-Za-z0-9]{10,})", _group("npm_token", _mixed)),
    _rule("pypi-", r"\b(pypi-[\w\-]{12,})", _group("pypi_token", _mixed)),
    _rule("hf_", r"\b(hf_[A-Za-z0-9]{10,})", _group("huggingface_token", _mixed)),
    _rule("aiza ya29.", r"\b(AIza[\w\-]{10,}|ya29\.[\w\-.]{6,})", _group("google_key")),
    _rule("akia asia aroa aida agpa", r"\b((?:AKIA|ASIA|AROA|AIDA|AGPA)[0-9A-Z]{6,})\b", _group("aws_key", _has_digit)),
    _rule(
        "sg. dop_v1_ hvs. dp.pt. age-secret-key- shpat_ sntrys_ glsa_",
        r"\b(SG\.[\w\-]{6,}\.?[\w\-]*|dop_v1_\w{6,}|hvs\.[\w\-]{6,}|dp\.pt\.\w{6,}|AGE-SECRET-KEY-\w{6,}"
        r"|shpat_\w{6,}|sntrys_[\w=+/]{6,}|glsa_\w{6,})",
        _group("token"),
    ),
    _rule(":aa", r"\b(\d{8,10}:AA[\w\-]{20,})", _group("telegram_token")),
    _rule("eyj", r"\b(eyJ[\w\-]{8,}(?:\.[\w\-]*){0,4})", _group("jwt")),
    _rule("$2", r"(\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{10,})", _group("hash")),
    _rule(
        "$1$ $5$ $6$ $y$ $7$ $gy$ $apr1$ $argon2 $scrypt $pbkdf2",
        r"(\$(?:1|5|6|7|y|gy|apr1|argon2(?:id?|d)?|scrypt|pbkdf2[\w\-]*)\$[^\s:\"',]{8,})",
        _group("hash"),
    ),
    _rule(
        "{sha} {ssha} scram-sha-256$ md5",
        r"(\{S?SHA\}[A-Za-z0-9+/=]{8,}|SCRAM-SHA-256\$[^\s\"']{8,}|\bmd5[0-9a-f]{32}\b)",
        _group("hash"),
    ),
]

_COMMANDS = [
    _rule("--", rf"(?i)--({_KEY})[ \t]+[\"']?([^\s\"'\-][^\s\"']*)", _named_value),
    _rule('"-', rf"(?i)\"--?({_KEY})\"\s*,\s*\"((?:[^\"\\\n]|\\[^\n])*)", _named_value),
    _rule(
        "mysql maria sshpass",
        r"\b(?:mysql\w*|mariadb[\w\-]*|sshpass)\b[^\n|]*?[ \t]-p[ \t]?['\"]?([^\s\"'\-][^\s\"']*)",
        _group("password"),
    ),
    _rule("redis-cli", r"\bredis-cli\b[^\n|]*?[ \t]-a[ \t]+['\"]?([^\s\"']+)", _group("password")),
    _rule(
        "login",
        r"\b(?:docker|podman|helm|az|oc)\b[^\n|]*?\blogin\b[^\n|]*?[ \t]-p[ \t]+['\"]?([^\s\"']+)",
        _group("password"),
    ),
    _rule(
        "curl wget",
        r"\b(?:curl|wget)\b[^\n|]*?[ \t](?:-u|--user)[ =]?['\"]?[^\s:\"']+:([^\s\"']+)",
        _group("password"),
    ),
    _rule(
        "requirepass masterauth",
        r"(?i)\b(?:requirepass|masterauth)[ \t]+\"?([^\s\"]+)",
        _group("password", may_be_secret),
    ),
    _rule('"auth"', r'(?i)"auth"[ \t]+"([^"\n]+)(?:"[ \t]+"([^"\n]+))?', _group("password")),
    _rule("password", r"(?i)\bpassword(?:[ \t]*[(=][ \t]*|[ \t]+)'([^'\n]*)", _group("password", may_be_secret)),
    _rule(
        "identified",
        r"(?i)\bidentified[ \t]+(?:with[ \t]+\S+[ \t]+)?(?:by|as)[ \t]+(?:password[ \t]+)?['\"]([^'\"\n]*)",
        _group("password"),
    ),
]

_SETTING = "pass pwd pw secret token key auth credential cookie dsn jwt bearer conn sess dockerconfigjson"
_SETTINGS = [
    _rule(_SETTING, rf'(?i)"({_KEY})=((?:[^"\\\n]|\\[^\n])*)', _named_value),
    _rule(
        _SETTING,
        r'(?i)"(?:name|key)"\s*:\s*"([^"\n]*)"\s*,\s*"value"\s*:\s*"((?:[^"\\\n]|\\[^\n])*)',
        _named_value,
    ),
    _rule(
        _SETTING,
        r"(?i)\bname:[ \t]*[\"']?([\w.\-]+)[\"']?[ \t]*\n[ \t]*value:[ \t]*[\"']?([^\s\"'][^\n\"']*)",
        _named_value,
    ),
    _rule(
        _SETTING,
        r"(?m)^[ \t]*(?:export[ \t]+|ENV[ \t]+|-e[ \t]+)?([A-Z_][A-Z0-9_]*)=([^\n\"']+)$",
        _named_value,
    ),
    _rule(
        "authorization",
        r"(?i)authorization[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*(?:bearer|basic|token|digest|apikey|negotiate)[ \t]+"
        r"([^\s\"'\\]+)",
        _group("authorization", may_be_secret),
    ),
    _rule("bearer", r"(?i)\bbearer(?:[ \t]+|%20)([\w.~+/=\-]{6,})", _group("authorization", looks_random)),
    _rule("basic", r"(?i)\bbasic[ \t]+([A-Za-z0-9+/=]{8,})", _group("authorization", _basic)),
    _rule('"auth"', r'"auth"\s*:\s*"([A-Za-z0-9+/=]{8,})', _group("authorization")),
    _rule("://", r"://[^\s/:@\"'<>\[\]]*:([^\s\"'<>]+)@", _userinfo),
    _rule(":\\/\\/", r":\\/\\/[^\s/:@\"'<>\[\]]*:([^\s\"'<>]+)@", _userinfo),
    _rule("://", r"://([^\s/:@\"'<>\[\].\-]{20,})@", _group("token", looks_random)),
    _rule(_SETTING, rf"(?i)<({_KEY})>([^<\n]+)", _named_value),
    _rule("login", r"(?i)\blogin[ \t]+\S+[ \t]+password[ \t]+(\S+)", _group("password", may_be_secret)),
    _rule("@tcp( @unix(", r"[\w.\-]+:([^\s\"'@]+)@(?:tcp|unix)\(", _group("password")),
]

_HEADERS = [
    _rule(
        "sig= signature=",
        r"(?i)[?&;\"]((?:x-(?:amz|goog)-)?sig(?:nature)?)=([^&\s\"'<>]{6,})",
        _signature,
    ),
    _rule(
        "cookie",
        r"(?i)\bset-cookie[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*[\w.\-]+=([^;\s\"']+)",
        _group("cookie"),
    ),
    _rule(
        "cookie",
        r"(?i)(?:^|[^\w\-])cookie[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*([\w.\-]+=[^\n\"'\\]+)",
        _group("cookie"),
    ),
]

_ASSIGNMENT = _rule(_SETTING, rf"(?i)({_KEY})((?:\\*[\"'])?[ \t]*(?::=|=>|[:=])[ \t]*){_VALUE}", _keyed)

RULES: tuple[Rule, ...] = (*_SETTINGS, *_HEADERS, _ASSIGNMENT, *_COMMANDS, *_TOKENS)
"""In this order: what names its secret takes all of it, before a token's form would take a part."""
