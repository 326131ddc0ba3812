"""Marks the parts of a log line that a stranger wrote: a hit inside one is no evidence."""

import re

Span = tuple[int, int]

HIDDEN = "…"
_MOST_WORDS, _MOST_CHARS = 6, 160  # of a stranger's text that is a value and no message
_SQL = re.compile(  # by its form: a stranger's sentence may begin with "update" or "with" as well
    r"(?is)\s*(?:select\b[^;]*\bfrom\b|(?:insert|merge)\s+into\b|update\s+(?:only\s+)?\S+\s+(?:(?:as\s+)?\w+\s+)?set\b|delete\s+from\b|"
    r"with\s+(?:recursive\s+)?[\w\"]+\s*(?:\([^)]*\)\s*)?as\b|call\s+[\w.\"]+\s*\(|begin\s*;|copy\s+\S+\s+(?:\([^)]*\)\s*)?(?:from|to)\b|"
    r"(?:alter|create|drop)\s+(?:\w+\s+){0,3}(?:table|index|view|sequence|type|function|schema|database|role|user|extension)\b)"
)
_KEYS = (
    r"(?:http[._])?(?:user[._-]?agent|useragent|ua|referer|referrer|url|uri|path|query|query_string|request_uri|request_url|request_line|request"
    r"|target|route|args|params|body|payload|request_body|form|headers?|x[_-]forwarded[_-]for|username|user_name|email|input|user_input|prompt"
    r"|search|q|comment|cookie|host_header|original_url|remote_user|login|subject)"
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|$)')
_CLF = re.compile(r"\[\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d")
_NGINX = re.compile(r'\b(?:request|referrer|host|user_agent): "((?:[^"\\]|\\.)*)(?:"|$)')
_NGINX_UPSTREAM = re.compile(r'\bupstream: "[a-z]+://[^/"]*(/(?:[^"\\]|\\.)*)(?:"|$)')
_NGINX_FILE = re.compile(r'\b(?:open|stat|opendir|realpath|mkdir|rename)\(\) "((?:[^"\\]|\\.)*)(?:"|$)')
_JSON = re.compile(rf'"{_KEYS}"\s*:\s*"((?:[^"\\]|\\.)*)(?:"|$)', re.IGNORECASE)
_LOGFMT = re.compile(rf'(?:^|[\s,&?]){_KEYS}=(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^\s",]+))', re.IGNORECASE)
_REQUEST = re.compile(
    r"\b(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|CONNECT|TRACE|PROPFIND) ([^\s\"]+)(?: HTTP/\d(?:\.\d)?)?"
)
_HEADER = re.compile(r"\b(?:User-Agent|Referer|Cookie|X-Forwarded-For|Host): ?([^\"\n]+)", re.IGNORECASE)
_LOGIN = re.compile(r"\b(?:[Ii]nvalid|[Ii]llegal) user (.*?) from [0-9a-fA-F.:]+|\bPROTOCOL.*? user ['\"]([^'\"]+)")


def stranger_fields(line: str) -> list[Span]:
    """The spans of the line whose text comes from outside, in order: requests, agents, referrers, input."""
    spans = [span for pattern in _patterns(line) for match in pattern.finditer(line) if (span := _filled(match))]
    return sorted(span for span in set(spans) if span[0] < span[1])


def without_prose(line: str) -> str:
    """The line without what a stranger wrote in it as free text; a path, a name or a short value stays."""
    parts, position = [], 0
    for start, end in _prose(line):
        if start >= position:
            parts.append(f"{line[position:start]}{HIDDEN}")
            position = end
    return "".join(parts) + line[position:] if parts else line


def before_prose(line: str, least: int) -> str:
    """The longest part of the line, verbatim, that holds no free text of a stranger; "" where none is long enough."""
    position, kept = 0, []
    for start, end in _prose(line):
        kept.append(line[position : max(start, position)])
        position = max(end, position)
    best = max([*kept, line[position:]], key=len).strip()
    return best if len(best) >= least else ""


def _prose(line: str) -> list[Span]:
    return [(start, end) for start, end in stranger_fields(line) if _is_prose(line[start:end])]


def _is_prose(text: str) -> bool:
    """Whether words stand there that could speak to who reads them; a statement of SQL is the program's own."""
    words = len(re.split(r"[\s+_]+|%20", text.strip()))
    return not _SQL.match(text) and (words > _MOST_WORDS or len(text) > _MOST_CHARS)


def _patterns(line: str) -> list[re.Pattern[str]]:
    """The patterns that the line's shape calls for; an access log's every quoted field is a stranger's."""
    if _CLF.search(line):
        return [_QUOTED, _REQUEST]
    patterns = [_REQUEST, _HEADER, _LOGIN]
    if '": ' in line or '":"' in line:
        patterns.append(_JSON)
    if "=" in line:
        patterns.append(_LOGFMT)
    if ': "' in line or '() "' in line:
        patterns += [_NGINX, _NGINX_UPSTREAM, _NGINX_FILE]
    return patterns


def _filled(match: re.Match[str]) -> Span | None:
    number = match.lastindex
    return match.span(number) if number else None
