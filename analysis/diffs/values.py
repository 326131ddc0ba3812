"""Shapes in a diff where the same line says something else: a unit, a switch, a comparison, a name, an address."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect

Lines = list[str]

_UNIT: Final = re.compile(
    r"\b(?:time\.)?(nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|days?)\b|"
    r"\bof(Nanos|Millis|Seconds|Minutes|Hours|"
    r"Days)\b|_(ms|millis|secs?|seconds|minutes|mins?|hours|days|bytes|kb|mb|mib|gb)\b|\b(EX|PX|EXAT|"
    r"PXAT)\b|(?<=\d)(ns|us|ms|s|m|h|d|"
    r"Ki|Mi|Gi|KB|MB|GB|k|K|M|G)\b|\.(toMillis|toSeconds|Milliseconds|Seconds|Microseconds|total_seconds|"
    r"getTime)\(\)",
    re.IGNORECASE,
)
_FACTOR: Final = re.compile(
    r"(?<![*/])([*/])\s*(1[_,]?000(?:[_,]?000)?(?:\.0)?|1e[369]|100(?:\.0)?|60|3600|1024|86400)\b(?![\d_])"
)
_SWITCH: Final = re.compile(
    r"(?P<name>[A-Za-z_][\w.\-/]*)[\"']?\s*(?:[:=,]|:=|\()+\s*[\"']?(?P<value>true|false|on|off|yes|"
    r"no|enabled?|disabled?)\b",
    re.IGNORECASE,
)
_PAIR: Final = re.compile(
    r"^\s*-?\s*(?:export\s+)?[\"']?(?P<key>[A-Za-z_][\w.\-/]*)[\"']?\s*[:=]\s*[\"']?(?P<value>[^\s\"'#,][^\"'#]*?)[\"']?,?\s*(?:#.*)?$"
)
_ADDRESS: Final = re.compile(
    r"^(?:\w+://\S+|[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+(?::\d+)?(?:/\S*)?|[\w.-]+:\d{2,5}|"
    r"\d{1,3}(?:\.\d{1,3}){3}\S*|/[\w/.-]+)$",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"(?i)host|url|uri|addr|endpoint|port|topic|queue|bucket|table|database|\bdb|schema|path|region|"
    r"server|broker|index|group|exchange|subject|namespace|secret|channel|^app$|^component$|selector|claimname|"
    r"app\.kubernetes\.io/"
)
_VERSIONED: Final = re.compile(r"(?i)image|tag|version|digest|sha|revision|\bref\b|checksum|\$schema")
_RELEASE: Final = re.compile(r"[\^~v]?\d+(?:\.\d+){1,2}(?:[-+.]\S*)?$")
_NARROW: Final = {
    ("float64", "float32"), ("double", "float"), ("double", "int"), ("bigdecimal", "double"), ("decimal", "float"),
    ("bigdecimal", "float"), ("bigint", "int"), ("bigint", "integer"), ("int64", "int32"), ("long", "int"),
    ("bigint", "smallint"), ("integer", "smallint"), ("uint64", "uint32"), ("i64", "i32"), ("u64", "u32"),
    ("text", "varchar"), ("bigserial", "serial"), ("int64", "int"), ("string", "int"), ("str", "int"),
}  # fmt: skip
_TYPE: Final = re.compile(
    r"\b(u?int\d*|[iu]\d{2}|float\d*|double|long|short|integer|bigint|smallint|bigdecimal|decimal|"
    r"text|varchar|bigserial|serial|string|str)\b",
    re.IGNORECASE,
)
_OPERATOR: Final = re.compile(
    r"<=|>=|==|!=|&&|\|\||[<>!](?!=)|\band\b|\bor\b|\bnot\b|\bis not\b|\bin\b|(?<=[\w)\]\s])(?:[+\-%]|//?)(?=[\s\w(])"
)
_WORDS: Final = re.compile(r"[A-Za-z_]\w*|\d+|\"[^\"]*\"|'[^']*'")
_ASKED: Final = re.compile(r"(?<=[\"'])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=[\"'])")  # variables of the environment
_SECURE: Final = re.compile(
    r"(?i)\b(sslmode|tls_?min\w*|min_?version|minprotocol\w*|ssl_protocols|cipher\w*|verify\w*|"
    r"InsecureSkipVerify|(?:allowed_?)?origins?)\b"
)


def says_otherwise(removed: Lines, added: Lines) -> Iterator[Effect]:
    """What pairs of lines that differ little say otherwise."""
    inverted = re.search(r"(?m)^\s*\}?\s*else\b", "\n".join(removed)) is not None
    for old, new in _pairs(removed, added):
        yield from (
            each
            for each in (
                _unit(old, new),
                _switch(old, new),
                None if inverted else _compares(old, new),
                _narrows(old, new),
            )
            if each
        )
        yield from (
            each for each in (_points(old, new), _renamed(old, new), _secured(old, new), _reads(old, new)) if each
        )


def _pairs(removed: Lines, added: Lines) -> Iterator[tuple[str, str]]:
    """Each removed line with the added one that is most like it, if they share half of their words."""
    left = list(added)
    for old in removed:
        words = set(_WORDS.findall(old))
        best = max(left, key=lambda new: len(words & set(_WORDS.findall(new))), default="")
        share = len(words & set(_WORDS.findall(best))) / max(len(words), 1)
        if best and (share >= 0.5 or (_PAIR.match(old) and _PAIR.match(best) and share > 0)):
            left.remove(best)
            yield old, best


def _unit(old: str, new: str) -> Effect | None:
    was, now = _units(old), _units(new)
    if was != now and was and now and re.findall(r"\d+", old) == re.findall(r"\d+", new):
        return Effect(
            1.5,
            f"counts in {'/'.join(sorted(now - was) or now)} what was in {'/'.join(sorted(was - now) or was)}",
            tuple(now - was),
        )
    a, b = _FACTOR.findall(old), _FACTOR.findall(new)
    if len(a) + len(b) == 1 and set(_WORDS.findall(old)) ^ set(_WORDS.findall(new)) <= {x[1] for x in a + b}:
        sign, number = (a + b)[0]
        return Effect(
            1.5, f"{'no longer ' if a else ''}{'multiplies' if sign == '*' else 'divides'} by {number}", (number,)
        )
    return None


def _units(line: str) -> set[str]:
    return {next(part for part in match if part).lower().rstrip("s") for match in _UNIT.findall(line)}


def _switch(old: str, new: str) -> Effect | None:
    was = {m["name"].lower(): m["value"].lower() for m in _SWITCH.finditer(old)}
    for match in _SWITCH.finditer(new):
        name, value = match["name"].lower(), match["value"].lower()
        if name in was and was[name] != value:
            return Effect(1.25, f"turns {match['name']} from {was[name]} to {value}", (name,))
    return None


def _compares(old: str, new: str) -> Effect | None:
    words = [[word for word in _WORDS.findall(_OPERATOR.sub(" ", line)) if word != "1"] for line in (old, new)]
    if words[0] != words[1] or not words[0]:
        return None
    was, now = _OPERATOR.findall(old), _OPERATOR.findall(new)
    if was == now or not (was or now):
        return None
    gone = next((a for a, b in zip([*was, ""], [*now, ""], strict=False) if a != b), "")
    came = next((b for a, b in zip([*was, ""], [*now, ""], strict=False) if a != b), "")
    return Effect(
        1.25, f"turns {gone or 'no operator'} into {came or 'no operator'}", tuple(x for x in (came or gone,) if x)
    )


def _narrows(old: str, new: str) -> Effect | None:
    was, now = (_TYPE.findall(line) for line in (old, new))
    for a, b in zip(was, now, strict=False):
        if (a.lower(), b.lower()) in _NARROW:
            return Effect(1.25, f"narrows {a} to {b}", (b.lower(),), "range")
    return None


def _points(old: str, new: str) -> Effect | None:
    a, b = _PAIR.match(old), _PAIR.match(new)
    if not a or not b or a["key"] != b["key"] or a["value"] == b["value"] or _VERSIONED.search(a["key"]):
        return None
    if _RELEASE.match(a["value"]) and _RELEASE.match(b["value"]):
        return None
    named = _PLACE.search(a["key"]) and re.fullmatch(r"[\w./:-]+", b["value"]) and not b["value"].isdigit()
    port = re.search(r"(?i)port$", a["key"]) and a["value"].isdigit() and b["value"].isdigit()
    if named or port or (_ADDRESS.match(a["value"]) and _ADDRESS.match(b["value"])):
        return Effect(1.25, f"points {a['key']} to {b['value']} instead of {a['value']}", (a["key"].lower(),), "way")
    return None


def _renamed(old: str, new: str) -> Effect | None:
    """A setting that keeps its value and gets another name; code that assigns to another variable is no such "
    "thing."""
    a, b = _PAIR.match(old), _PAIR.match(new)
    if not a or not b or a["value"] != b["value"] or re.search(r"[({;]", a["value"]):
        return None
    if a["key"].rpartition(".")[2].lower() == b["key"].rpartition(".")[2].lower():
        return None
    return Effect(1.5, f"renames the setting {a['key']} to {b['key']}", (a["key"].lower(),), "names")


def _reads(old: str, new: str) -> Effect | None:
    """A line of code that asks for a variable of another name, and is else the same."""
    a, b = _ASKED.findall(old), _ASKED.findall(new)
    if len(a) != 1 or len(b) != 1 or a == b or old.replace(a[0], "#").strip() != new.replace(b[0], "#").strip():
        return None
    return Effect(
        1.5, f"reads {b[0]}, no longer {a[0]}, so that a default holds where it is not set", (b[0].lower(),), "unset"
    )


def _secured(old: str, new: str) -> Effect | None:
    a, b = _SECURE.search(old), _SECURE.search(new)
    if a and b and a[1].lower() == b[1].lower() and _WORDS.findall(old) != _WORDS.findall(new):
        return Effect(1.0, f"changes {a[1]}", (a[1].lower(),), "secure")
    return None
