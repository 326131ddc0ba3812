"""Reduces a log line to what its template can be made of: no stamp, no level, no variable parts."""

import re
from functools import lru_cache

from analysis.lines.requests import request_of
from analysis.text import strip_control

WILDCARD = "<*>"
_LONGEST = 400  # characters of a line that its template is made from

_HEAD = re.compile(
    r"^[\[(<\"'| ]{0,3}(?:<\d{1,3}>)?(?:"
    r"\d{4}[-/.]\d\d[-/.]\d\d[T _-]\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d{1,9})?(?: ?(?:Z|UTC|GMT|CET|CEST|[+-]\d\d:?\d\d)\b)?"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[ ,]+[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z]{3,4})?"
    r"(?: \d{4})?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?"
    r"|\d{1,2}[- /][A-Z][a-z]{2}[- /]\d{4}[ :]\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d\d/\d\d/\d\d \d\d:\d\d:\d\d|\d\d[-.]\d\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{8}-\d{1,2}:\d{1,2}:\d{1,2}:\d{1,3}"
    r"|\d{6} \d{6}|\d{10}(?:\.\d+)?(?= )|[IWEFD]\d{4} \d\d:\d\d:\d\d\.\d+"
    r"|\d+:[XCSM] \d\d [A-Z][a-z]{2} \d{4} [\d:.]+"
    r"|\d\d:\d\d:\d\d[.,]\d{1,9})[\])>\"'|]{0,2}[:,]?\s*"
)
_LEVEL = re.compile(
    r"^[\[(<|-]{0,2} ?(?:TRACE|DEBUG|INFO|NOTICE|LOG|WARNING|WARN|ERROR|SEVERE|FATAL|CRITICAL|[Ii]nfo|[Ww]arn(?:ing)?"
    r"|[Ee]rror|[Dd]ebug|[Nn]otice|[Nn]ote|[Cc]rit|[Ff]atal|[Ee]merg|[DIWEF](?= ))(?:[\])>|: ]|$)[:|-]?\s*"
)

_STOP = r"\s=:,;\"'()\[\]{}<>|"
_VARIABLE = re.compile(
    rf"(?<![^{_STOP}])(?:"  # at the start of a run of characters:
    r"[a-z][a-z0-9+.-]{1,12}://[^\s\"'<>,;)\]]+"  # a URL
    r"|[A-Za-z]:\\[\w.@%~$*\\-]+"  # a path of Windows
    r"|(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}(?:%\w+)?(?![\w:.])"  # IPv6, MAC
    rf"|[^{_STOP}@\d]*(?:\d|@\w)[^{_STOP}]*(?::\d[^{_STOP}]*)*"  # whatever holds a digit, and mail addresses
    rf"|(?:[0-9a-f]{{8,}}|[A-Za-z+/]{{40,}}=*)(?![^{_STOP}])"  # hex, base64
    rf"|(?:true|false|null|nil|None|True|False|NULL)(?![^{_STOP}])"
    r")|(?<![\w.])/[\w.@%+~$*-]+(?:/[\w.@%+~$*:-]*)+"  # paths
)
_QUOTED = re.compile(r'"[^"\n]{0,400}"|(?<!\w)\'[^\'\n]{1,200}\'(?!\w)')
_ATOM = r"(?:<\*>|[\[({]\s?<\*>\s?[\])}])"
_RUN = re.compile(
    rf"{_ATOM}(?:[\s,:;|/.&-]{{0,2}}{_ATOM})*(?:-<\*>)?"
    r"(?:\s?(?:ms|us|ns|s|sec|secs|seconds|bytes|[KMGT]i?B|B|%)(?!\w))?|-<\*>"
)
# Values that have an inside: objects as programs print them, JSON, lists. Of these only that there was one is kept.
# Every form begins with its bracket, so that the engine leaps from bracket to bracket.
_INSIDE = re.compile(
    r"\((?=[^()\[\]{}]*=)[^()\[\]{}]*\)|\{(?=[^()\[\]{}]*[:=,])[^()\[\]{}]*\}|\[(?<=[:=]\[)[^()\[\]{}]*\]"
    r"|\{(?<=[:=]\{)\}|\{(?<=[:=] \{)\}|\[(?<=[:=] \[)[^()\[\]{}]*\]|\[[^\s,()\[\]{}]+(?:, ?[^\s,()\[\]{}]+)+\]"
)
# Of a line that was cut: the same, open to its end.
_UNCLOSED = re.compile(r"[\[({](?:(?<=[:=].)|(?<=[:=] .)|(?<=[:=]<\*>.)|(?<=[\w$]\()(?=[^()]*=))[^\])}]*$")
_DEPTH = 8
_RULER = re.compile(r"([\^~=*#_-])\1{3,}")  # under a word of a stack, or around a heading: its length says nothing
_ASSIGNED = re.compile(r"<\*>\s?=\s?<\*>")
_FRAME = re.compile(r'^\s*(?:File "[^"\n]*", line \d+(?:, in \S+)?|at (?:async )?[\w.$<>/@\[\] -]+\([^()\n]*\)$)')
_FRAMES = ("Fil", "at ")
_MESSAGE = re.compile(r'"(?:msg|message|log|event|error|text|short_message|body|MESSAGE)"\s*:\s*"((?:[^"\\]|\\.)*)"?')
_KEYS = re.compile(r'[{,]\s*"([\w.@-]{1,40})"\s*:')
_LOGFMT = re.compile(r'(?:^|\s)msg=(?:"((?:[^"\\]|\\.)*)"|(\S+))')
_LOGFMT_LINE = re.compile(r"^(?:\S{0,40} )?[A-Za-z_@][\w.]{0,40}=(?:\"|[^\s\"]+(?:\s|$))")
_LOGFMT_KEYS = re.compile(r"(?:^|\s)([A-Za-z_][\w.]{0,40})=")


def masked(line: str) -> str:
    """The line with `<*>` for each variable part; of JSON and logfmt the message and the names of its fields."""
    request = request_of(line)
    line = line[:_LONGEST].strip()
    if "\x1b" in line:
        line = strip_control(line).strip()
    if line[:1] == "{" and line[1:2] in '" ':
        return _of_json(line)
    if "msg=" in line and _LOGFMT_LINE.match(line) and (match := _LOGFMT.search(line)):
        return _with_keys(_plain(match[1] or match[2] or ""), " ".join(sorted(set(_LOGFMT_KEYS.findall(line)))))
    if request:
        return f'{WILDCARD} "{request[0]} {WILDCARD}" {request[1]} {WILDCARD}'  # method and status are what it says
    if line[:3] in _FRAMES and (match := _FRAME.match(line)):
        return f"{'File' if line[0] == 'F' else 'at'} {WILDCARD}"  # of a stack
    return _plain(_without_head(line))


def _without_head(line: str) -> str:
    for _ in range(2):  # a collector's stamp, then the program's own
        match = _HEAD.match(line)
        if not match:
            break
        line = line[match.end() :]
    match = _LEVEL.match(line)
    return line[match.end() :] if match and match.end() < len(line) else line


def _plain(text: str) -> str:
    if '"' in text or "'" in text:
        text = _QUOTED.sub(WILDCARD, text)
    text = " ".join(map(_word, text.split()))
    if "[" in text or "{" in text or "(" in text:
        text = _without_insides(text)
    if WILDCARD not in text:
        return text
    return _RUN.sub(WILDCARD, _ASSIGNED.sub(WILDCARD, text) if "= <" in text or "=<" in text else text)


@lru_cache(maxsize=1 << 15)
def _word(word: str) -> str:
    """A word without its variable parts: most words of a log are few, and come again and again."""
    return _RULER.sub(r"\1\1\1", _VARIABLE.sub(WILDCARD, word))


def _without_insides(text: str) -> str:
    """The line with `<*>` for what has an inside, from the innermost out."""
    for _ in range(_DEPTH):
        text, count = _INSIDE.subn(WILDCARD, text)
        if not count:
            break
    return _UNCLOSED.sub(WILDCARD, text)


def _of_json(line: str) -> str:
    match = _MESSAGE.search(line)
    message = masked(match[1].removesuffix("\\n")) if match and match[1] else ""
    return _with_keys(message, _key_names(line))


def _with_keys(message: str, keys: str) -> str:
    return f"{message} {{{keys.replace(' ', ',')}}}" if keys else message


def _key_names(line: str) -> str:
    return _joined(tuple(_KEYS.findall(line)))


@lru_cache(maxsize=1024)
def _joined(keys: tuple[str, ...]) -> str:
    return " ".join(sorted(set(keys)))
