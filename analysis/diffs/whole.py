"""Shapes of a whole diff: another zone, a stricter check, another schedule, a lost permission or index."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect

Lines = list[str]

_ZONE: Final = re.compile(
    r"\b(utcnow|utcfromtimestamp|utc|UTC|timezone\.\w+|tz(?:info)?|astimezone|localtime|gmtime|"
    r"LocalDateTime|LocalDate|Instant|ZonedDateTime|"
    r"OffsetDateTime|ZoneId|ZoneOffset|timestamptz|USE_TZ|make_aware|make_naive|is_naive|"
    r"DateTimeOffset|UtcNow|getTimezoneOffset|"
    r"toLocale(?:Date|Time)?String|toISOString|getUTC\w+|LoadLocation|with(?:out)? time zone|fromtimestamp|timezone)\b"
)
_REJECTS: Final = re.compile(
    r"(?i)\braise \w*(?:value|validation|badrequest|http|invalid|integrity|type)\w*|"
    r"throw new \w*(?:invalid|illegal|badrequest|validation|"
    r"constraint)\w*|\breturn\b.*\b(?:4(?:00|22)|\w*BadRequest\w*|\w*Invalid\w*|\w*Unprocessable\w*)|"
    r"\brequired\b|@NotNull|@NotBlank|"
    r"@NotEmpty|@Pattern|@Size|@Valid\b|additionalProperties\W+false|extra\s*=\s*[\"']forbid|"
    r"DisallowUnknownFields|FAIL_ON_UNKNOWN|"
    r"strict\w*\W+true|\.strict\(|min_?length|max_?length|\bNOT NULL\b|\bCHECK\s*\(|\bUNIQUE\b|"
    r"\.(?:min|max|regex|email|uuid)\("
)
_PERMISSION: Final = re.compile(
    r"^\s*-?\s*[\"']?((?:[a-z0-9-]+:[A-Z*]\w*\*?)|get|list|watch|create|update|patch|delete|secrets|"
    r"configmaps|pods)[\"']?,?\s*$"
)
_LEVEL: Final = re.compile(
    r"(?i)(log\w*[._-]?)?level\W+(?P<level>trace|debug|info|warn\w*|error)|\blog_statement\W+(?P<all>all|none|ddl|mod)"
)
_CRON: Final = re.compile(r"(?:^|[\"'\s])((?:[\d*,/-]+\s+){4}[\d*,/A-Za-z-]+)(?=[\"'\s]|$)")
_UNSEARCHABLE: Final = re.compile(
    r"(?i)LIKE\s+['\"]%|LIKE\s+CONCAT\(\s*'%|\b(?:lower|upper|date|cast|to_char|coalesce|"
    r"trim)\s*\(\s*[a-z_.]+[^)]*\)\s*"
    r"(?:[=<>]|like\b|in\b)|ORDER BY\s+RAND|__icontains|::text\s*="
)
_WHERE: Final = re.compile(r"(?i)\bWHERE\b|\.where\(|\.filter\(|\bLIMIT\b|\.limit\(|\bUSE INDEX\b|\bORDER BY\b")


def does_otherwise(removed: Lines, added: Lines) -> Iterator[Effect]:
    """What all lines together do otherwise."""
    before, after = "\n".join(removed), "\n".join(added)
    yield from (each for each in (_zone(before, after), _rejects(removed, added), _log_level(before, after)) if each)
    yield from (each for each in (_schedule(before, after), _denies(removed, added), _query(before, after)) if each)


def _zone(before: str, after: str) -> Effect | None:
    was, now = set(_ZONE.findall(before)), set(_ZONE.findall(after))
    if was == now or not before:
        return None
    came, gone = ", ".join(sorted(now - was)), ", ".join(sorted(was - now))
    why = (
        f"makes times with {came} that were made {'with ' + gone if gone else 'without'}"
        if came
        else f"makes times without {gone}"
    )
    return Effect(1.25, why, tuple(name.lower() for name in sorted(now - was or was - now)), "time", only_if=True)


def _rejects(removed: Lines, added: Lines) -> Effect | None:
    known = {_bare(found[0]) for line in removed if (found := _REJECTS.search(line))}
    stated = (m[0].strip() for line in added if (m := _REJECTS.search(line)))
    new = next((each for each in stated if _bare(each) not in known), None)
    if new is None:
        return None
    return Effect(1.0, f"rejects what was let through ({new[:40]})", (new.lower(),), "rejects", only_if=True)


def _bare(text: str) -> str:
    """The text without what joins its words."""
    return re.sub(r"\W+", " ", text).strip().lower()


def _log_level(before: str, after: str) -> Effect | None:
    was, now = _LEVEL.search(before), _LEVEL.search(after)
    loud = ("debug", "trace", "all")
    if (
        was
        and now
        and (level := (now["level"] or now["all"] or "").lower()) in loud
        and was[0].lower() != now[0].lower()
    ):
        return Effect(0.75, f"logs at {level}", (level,), "load")
    return None


def _schedule(before: str, after: str) -> Effect | None:
    was, now = _CRON.search(before), _CRON.search(after)
    if was and now and was[1] != now[1]:
        return Effect(1.0, f"runs at {now[1]} what ran at {was[1]}", (now[1].lower(),), "load")
    return None


def _denies(removed: Lines, added: Lines) -> Effect | None:
    gone = [match[1] for line in removed if (match := _PERMISSION.match(line))]
    kept = "\n".join(added)
    lost = [word for word in gone if word not in kept and "*" not in kept]
    return Effect(1.25, f"takes the permission {lost[0]} away", (lost[0].lower(),), "denied") if lost else None


def _query(before: str, after: str) -> Effect | None:
    if (found := _UNSEARCHABLE.search(after)) and not _UNSEARCHABLE.search(before) and before:
        return Effect(
            1.25, f"asks what no index answers ({found[0].strip()[:40]})", (found[0].strip().lower(),), "slow"
        )
    lost = {word.lower().strip(".(") for word in _WHERE.findall(before)} - {
        word.lower().strip(".(") for word in _WHERE.findall(after)
    }
    if lost and after and re.search(r"(?i)\bselect\b|\.(?:find|all|query|objects|list)\b", after):
        first = sorted(lost)[0]
        return Effect(1.25, f"asks without {first}", (first,), "slow")
    return None
