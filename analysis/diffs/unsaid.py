"""What a diff no longer says, so that something else holds: a default, or an option that nobody passes."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect

Lines = list[str]
_STARTS: Final = re.compile(r"(?i)^\s*(?:ENTRYPOINT|CMD|entrypoint:|command:|args:|ExecStart=|exec\s)")
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w*)")
# Options that the runtime reads itself, whoever starts it.
_READ_ANYWAY: Final = re.compile(
    r"^(?:JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|NODE_OPTIONS|PYTHON\w+|GO(?:GC|MEMLIMIT|MAXPROCS|"
    r"DEBUG)|RUBYOPT|LD_\w+|"
    r"DOTNET_\w+|PERL5OPT|MALLOC_\w+)$"
)
_SHELL: Final = re.compile(r"[\"'](?:/bin/)?(?:ba|da|a)?sh[\"']|^\s*(?:ENTRYPOINT|CMD)\s+(?!\[)|\bexec\b|\.sh\b")
_SET: Final = re.compile(
    r"^\s*-?\s*[\"']?(?P<key>[A-Za-z_][\w./-]*)[\"']?\s*[:=]\s*[\"']?(?P<value>\d[\w.]*)[\"']?\s*,?\s*(?:#.*)?$"
)
_WHAT: Final = (  # of a setting's name: what goes wrong where a default takes its place
    ("big", re.compile(r"(?i)body[_-]?size|payload|max[_-]?(?:message|request|packet|upload|file)")),
    ("again", re.compile(r"(?i)visibility|ack[_-]?(?:deadline|wait)|lease|lock[_-]?duration|dedup|in_?flight")),
    ("probe", re.compile(r"(?i)initial[_-]?delay|failure[_-]?threshold|start[_-]?period|grace")),
    ("heap", re.compile(r"(?i)heap|xmx|memory|maxmemory|ram")),
    ("load", re.compile(r"(?i)timeout|deadline|limit|pool|max_?\w*|size|capacity|replica|throughput|iops|quota|"
    r"concurren|workers?|threads?|connections?|interval|rate|burst|units?$")),
)  # fmt: skip
_ELSEWHERE: Final = re.compile(
    r"(?m)^\s*(?:module\b|extends\b|<<:|include\b|\{\{-? (?:include|template)|uses:|source\s*=|-?\s*base\b)"
)


def unsaid(removed: Lines, added: Lines) -> Iterator[Effect]:
    """Variables that no longer reach the program, then settings that a default takes the place of."""
    yield from _not_passed(removed, added)
    yield from _default(removed, added)


def _not_passed(removed: Lines, added: Lines) -> Iterator[Effect]:
    """A start command that named a variable and does so no more, or that no shell fills in any more."""
    was = [line for line in removed if _STARTS.match(line)]
    now = [line for line in added if _STARTS.match(line)]
    filled = {name for line in now if _SHELL.search(line) for name in _VARIABLE.findall(line)}
    lost = sorted({name for line in was for name in _VARIABLE.findall(line)} - filled)
    told = next((name for name in lost if not _READ_ANYWAY.match(name)), "")
    if not now or not told or (now and any(re.search(r"\.sh\b", line) for line in now)):
        return
    form = (
        "in exec form no shell fills it in, so its options are lost and defaults hold"
        if "[" in "".join(now)
        else "its options are lost"
    )
    harm = "heap" if re.search(r"(?i)java|jvm|heap|mem|node", told) else "start"
    yield Effect(1.75, f"no longer passes ${told} on: {form}", (told.lower(), "entrypoint", "cmd"), harm)


def _default(removed: Lines, added: Lines) -> Iterator[Effect]:
    """A number that was set and that the same thing, told anew by a template or module, no longer sets."""
    before = {m["key"]: m["value"] for line in removed if (m := _SET.match(line))}
    after = {m["key"]: m["value"] for line in added if (m := _SET.match(line))}
    shared = set(re.findall(r"[\"'][\w./-]{4,}[\"']", "\n".join(removed))) & set(
        re.findall(r"[\"'][\w./-]{4,}[\"']", "\n".join(added))
    )
    if not (_ELSEWHERE.search("\n".join(added)) and (shared or set(before.values()) & set(after.values()))):
        return
    for harm, named in _WHAT:
        for key, value in before.items():
            if named.search(key) and not _said(key, value, after):
                why = f"no longer sets {key} ({value}), so that a default holds in its place"
                yield Effect(1.75, why, (key.lower(),), harm, calls=harm == "again")


def _said(key: str, value: str, after: dict[str, str]) -> bool:
    """Whether the setting is still there, under its name or with its value under another that shares a word."""
    words = set(re.split(r"[_./-]", key.lower()))
    return key in after or any(
        value == now and words & set(re.split(r"[_./-]", name.lower())) for name, now in after.items()
    )
