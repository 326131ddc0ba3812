"""Sizes to bytes, durations to seconds, shares to numbers: the units of every fact."""

import re
from typing import Final

_BINARY: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50, "e": 1 << 60}
_DECIMAL: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15, "e": 10**18}
_SIZE: Final = re.compile(r"([-+]?[\d,]*\.?\d+)\s*([kmgtpe]?)(i?)(b(?:ytes?)?)?", re.IGNORECASE)
_SECONDS: Final = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "msec": 1e-3, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60,
    "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "d": 86400, "day": 86400, "w": 604800, "week": 604800,
    "month": 2592000, "mon": 2592000, "y": 31536000, "year": 31536000,
}  # fmt: skip
_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zµ]+)")
_CLOCK: Final = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_NUMBER: Final = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")


def size(text: str, *, letters: str = "binary") -> int | None:
    """Bytes of `64M`, `1.24GiB`, `16276604Ki`, `12 kB`; None where it is no size.

    A bare letter is binary, as df, free and compose mean it, or decimal for Kubernetes; kB and MB are decimal.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, letter, binary, byte = match.groups()
    bare = _DECIMAL if letters == "decimal" else _BINARY
    scale = _BINARY if binary else _DECIMAL if byte and letter else bare
    return round(float(number.replace(",", "")) * scale[letter.lower()])


def kube_size(text: str) -> int | None:
    """Bytes of a Kubernetes quantity, where `128M` is decimal and `128Mi` binary."""
    return size(text, letters="decimal")


def cpus(text: str) -> float | None:
    """CPUs of `500m`, `2` or `0.5`."""
    text = text.strip()
    value = number(text[:-1] if text.endswith("m") else text)
    return None if value is None else value / 1000 if text.endswith("m") else float(value)


def duration(text: str) -> float | None:
    """Seconds of `6m35s`, `9-04:11:20`, `2 weeks`, `About an hour`, `200ms`; None where it is no duration."""
    text = text.strip().lower()
    if match := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return days * 86400 + hours * 3600 + minutes * 60 + seconds
    for word in ("about ", "less than ", "up ", "over "):
        text = text.removeprefix(word)
    text = re.sub(r"\ban?\b", "1", text.removesuffix(" ago"))
    spans = _SPAN.findall(text)
    if not spans or _SPAN.sub("", text).strip(" ,and"):
        return None
    scales = [_SECONDS.get(unit) or _SECONDS.get(unit.rstrip("s")) for _, unit in spans]
    if any(scale is None for scale in scales):
        return None
    return sum(float(amount) * (scale or 0) for (amount, _), scale in zip(spans, scales, strict=True))


def number(text: str) -> int | float | None:
    """The number that the whole text is, without thousands separators; None where it is none."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    plain = text.replace(",", "")
    return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)


def percent(text: str) -> float | None:
    """The share of `93%` or `0.5 %`; None where it is none."""
    value = number(text.strip().rstrip("%").strip())
    return None if value is None else float(value)


def truth(text: str) -> bool | None:
    """What `True`, `yes`, `on`, `t`, `1` and their opposites say."""
    word = text.strip().lower()
    if word in ("true", "yes", "on", "t", "1", "y", "enabled"):
        return True
    return False if word in ("false", "no", "off", "f", "0", "n", "disabled") else None
