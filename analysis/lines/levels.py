"""Tells how bad a log line says it is: debug, info, warning, error or fatal."""

import re

from analysis.lines.level_words import LETTERS, LEVELS, MARKS, SYSLOG, of_value, of_word
from analysis.text import strip_control

_HEAD = 220  # characters in which a line states its level
_UPPER = (
    r"TRACE|DEBUG[1-5]?|DEBU|DBG|TRC|INFO|INF|NOTICE|LOG|WARNING|WARN|WRN|ERROR|ERRO|ERR|SEVERE|FATAL|FATA|FTL|CRITICAL|CRIT|PANIC"
    r"|PANI|EMERG|ALERT|CONFIG|FINE|FINER|FINEST|VERBOSE"
)
_MIXED = (
    r"(?:[Tt]race|[Dd]ebug|[Ii]nfo|[Ii]nformation|[Nn]otice|[Nn]ote|[Ww]arning|[Ww]arn|[Ee]rror|[Ee]rr|[Ff]atal"
    r"|[Cc]ritical|[Cc]rit|[Ee]merg|[Aa]lert|[Pp]anic|System|fail)"
)
_TOKEN = re.compile(rf"(?<![\w./=-])(?:({_UPPER})(?=$|[\s\]:|,)>\[/-])|\[(?:[\w.]+:)?\s?({_MIXED})\s?\]|<({_MIXED})>)")
_AFTER_STAMP = re.compile(rf"(?:^|\d[\dZ:.,+]*\]?)(?:\s+[\w.-]+:?)?\s+\|?\s*({_MIXED}|Normal)(?=[\s:|])")
_FIRST = re.compile(rf"^\s*({_MIXED}|npm ERR!|npm WARN|Failed|FAILED)\b(?:\[\d+\])?\s?[:!\[]")
_KLOG = re.compile(r"^(?:\S+ ){0,4}([IWEFD])\d{4} \d\d:\d\d:\d\d")
_LOGFMT = re.compile(r"(?:^|[\s,{])(?:level|lvl|severity|loglevel|log_level|levelname)[=:]\s?[\"'\[]?(\w+)")
_REDIS = re.compile(r"^(?:\S+ )?\d+:[XCSM] \d{1,2} \w{3} (?:\d{4} )?[\d:.]+ ([.*#-]) ")
_ANDROID = re.compile(r"^\d\d-\d\d [\d:.]+ +\d+ +\d+ ([VDIWEF]) ")
_RUBY = re.compile(r"^([DIWEFA]), \[\d{4}-")
_ACCESS = re.compile(r'\] "[^"]*" (\d{3}) (?:\d+|-)|" (\d{3}) \d+ (?:"|\d)')
_PRI = re.compile(r"^<(\d{1,3})>")
_JSON = re.compile(
    r'"(?:(?:level|lvl|severity|severity_text|severityText|levelname|log\.level|loglevel|log_level|s|PRIORITY|priority)"\s*:\s*'
    r'(?:"([A-Za-z_.]{1,20}|\d)"|(\d{1,2})(?![\d.]))|(?:status|type)"\s*:\s*"([A-Za-z]{3,9})")'
)
_NESTED = re.compile(r'^\{"log":"(.*?)(?:\\n)?"\s*,\s*"stream"')
_RAISED = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(Error|Exception|Exit|Interrupt|Warning|Timeout|Failure|Fault)(?::|$| \()"
)
_STACK = re.compile(
    r"^(?:Traceback \(most recent|Caused by: |Exception in thread|Uncaught |Unhandled |thread '[^']*' panicked)"
)
_DEEP = re.compile(
    r"^(?:panic: |fatal error: |runtime: out of memory|Segmentation fault|Bus error|Killed$|Kernel panic)"
)
_CONTINUES = re.compile(r"\b(?:DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION):  ")
_ORDER = {level: number for number, level in enumerate(LEVELS)}


def level(line: str) -> str | None:
    """How bad the line says it is, or None where it does not say."""
    if "\x1b" in line:
        line = strip_control(line)
    if not line or line[0] in " \t":
        line = line.strip()
        if not line:
            return None
    if line[0] == "{":
        return _of_json(line)
    head = line[:_HEAD]
    return _of_shape(head, line) or _of_token(head) or _of_trace(head)


def at_least(stated: str | None, threshold: str) -> bool:
    """Whether a level reaches the threshold; a line that states none counts as info."""
    return _ORDER.get(stated or "info", 1) >= _ORDER[threshold]


def _of_json(line: str) -> str | None:
    if nested := _NESTED.match(line):
        return level(nested[1].replace('\\"', '"'))
    for match in _JSON.finditer(line):
        found = of_value(match[1] or match[2] or match[3])
        if found:
            return found
    return None


def _of_shape(head: str, line: str) -> str | None:
    """Formats in which a letter, a mark or a number at a fixed place is the level."""
    if match := _KLOG.match(head) or _ANDROID.match(head) or _RUBY.match(head):
        return LETTERS.get(match[1], "fatal")
    if match := _REDIS.match(head):
        return MARKS[match[1]]
    if '" ' in line and (match := _ACCESS.search(line)):
        return _of_status(int(match[1] or match[2]))
    if "=" in head or ":" in head:
        match = _LOGFMT.search(head)
        if match:
            return of_word(match[1])
    return None


def _of_token(head: str) -> str | None:
    """The first word in a level's usual dress: ERROR, [error], <warn>, or `info` right after the stamp."""
    match = _TOKEN.search(head)
    if match:
        word = match[1] or match[2] or match[3]
        return of_word(word)
    if _CONTINUES.search(head):
        return None
    if match := _AFTER_STAMP.search(head, 0, 80):
        return of_word(match[1])
    if match := _FIRST.match(head):
        return of_word(match[1].removeprefix("npm ").rstrip("!"))
    if match := _PRI.match(head):
        return SYSLOG[int(match[1]) % 8]
    return None


def _of_trace(head: str) -> str | None:
    """Lines that a crash prints without a level."""
    if _DEEP.match(head):
        return "fatal"
    if _STACK.match(head):
        return "error"
    match = _RAISED.match(head)
    if not match:
        return None
    return "warning" if match[1] == "Warning" else "error"


def _of_status(status: int) -> str:
    return "error" if status >= 500 else "warning" if status >= 400 else "info"
