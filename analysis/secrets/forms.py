"""What a pattern for secrets hides: how the secrets of one match are told from what only looks like them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

from analysis.secrets.keys import looks_random, may_be_secret, secret_kind
from analysis.secrets.placeholders import is_masked

Span = tuple[int, int, str]
"""Start, end and kind of one secret."""

Matcher = Callable[[Any, str], Iterator[Span]]
"""(match, text) -> the secrets in it."""

_SCHEMES = ("bearer", "basic", "token", "digest", "apikey", "negotiate", "aws4-hmac-sha256")
_OBJECT = re2.compile(r"[a-z][a-z.\-]*/[a-z][a-z0-9.\-]*")


@dataclass(frozen=True)
class Rule:
    """One form of secret."""

    hints: tuple[str, ...]
    "Lower-case literals: a text without any of them cannot match."
    pattern: Any
    "Compiled RE2."
    find: Matcher
    "Tells the secrets of one match."


def group(kind: str, check: Callable[[str], bool] = bool) -> Matcher:
    """The first group that matched, where the check agrees."""

    def find(match: Any, _text: str) -> Iterator[Span]:
        for number, value in enumerate(match.groups(), 1):
            if value and not is_masked(value) and check(value):
                yield match.start(number), match.end(number), kind

    return find


def keyed(match: Any, text: str) -> Iterator[Span]:
    """key=value, "key": "value", key: value, by the key's name."""
    kind = secret_kind(match.group(1))
    if not kind:
        return
    number = next((n for n in range(3, 7) if match.group(n) is not None), 0)
    start, end = _trimmed(match, number, text) if number else (0, 0)
    value = text[start:end]
    if not value or is_masked(value) or not may_be_secret(value) or _names(match.group(1), value):
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


def _names(key: str, value: str) -> bool:
    """Small numbers (`pass=12` of tests, `token: 7`) and the name of a Kubernetes secret (`secret=shop/web-tls`)."""
    number = value.isdigit() and len(value) < 5 and key.lower().endswith(("pass", "token", "pw"))
    return number or (key.lower() == "secret" and _OBJECT.fullmatch(value) is not None)


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


def named_value(match: Any, _text: str) -> Iterator[Span]:
    """NAME and value in two groups: an environment entry, a k8s env item, a command-line option."""
    kind, value = secret_kind(match.group(1)), match.group(2)
    if kind and kind != "dsn" and value and not is_masked(value) and may_be_secret(value):
        yield match.start(2), match.end(2), kind


def userinfo(match: Any, text: str) -> Iterator[Span]:
    """The password of a URL; `http://host:8080/a@b` has none."""
    value = match.group(1)
    port, slash, _ = value.partition("/")
    other = value.startswith(("${", "$(")) or text.startswith("sha256:", match.end())
    if not (is_masked(value) or other or (slash and port.isdigit())):
        yield match.start(1), match.end(1), "password"


def has_digit(value: str) -> bool:
    return any(char.isdigit() for char in value)


def mixed(value: str) -> bool:
    return value.lower() != value and value.upper() != value


def signature(match: Any, _text: str) -> Iterator[Span]:
    if not is_masked(match.group(2)):
        yield match.start(2), match.end(2), "signature"


def base64_pair(value: str) -> bool:
    """base64 of user:password, and not the word after `basic`."""
    return mixed(value) and (value.endswith("=") or has_digit(value))


def rule(hints: str, pattern: str, find: Matcher) -> Rule:
    return Rule(tuple(hints.split()), re2.compile(pattern), find)
