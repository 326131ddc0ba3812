"""sysctl, environments, ini, conf, YAML and properties files: settings by name."""

import re
from typing import Any, Final

import yaml

from analysis.captures.context import Context, Line, Parser
from analysis.captures.units import number
from domain.facts import Fact

_SYSCTL: Final = re.compile(r"([a-z][\w-]*(?:[./][\w*-]+)+)\s*=\s*(.*)")
_ENV: Final = re.compile(r"(?:export )?([A-Za-z_]\w*)=(.*)")
_KEY: Final = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*[=:]\s*(.*?)\s*;?\s*$")
_WORDS: Final = re.compile(r"\s*([A-Za-z_][\w.-]*)\s+(\S.*?)\s*[;{]?\s*$")
_SECTION: Final = re.compile(r"\s*\[([^\]]+)\]\s*$")
_COMMENT: Final = re.compile(r"\s*(?:[#;!]|//|--)")
_PROC: Final = re.compile(r"/proc/sys/([\w/.-]+)")
_MOST: Final = 400
_BLOCK: Final = re.compile(r"\s*([\w~^/.*$ {}-]+?)\s*\{\s*$")


def parse_sysctl(text: str, context: Context) -> list[Fact]:
    """`vm.overcommit_memory = 0`, from sysctl, or with its origin from sysctl.conf."""
    origin = next((path for path in context.command.paths() if "/etc/" in path or path.endswith(".conf")), "")
    return [
        setting(match[1].replace("/", "."), match[2], line, context, origin)
        for line in context.lines(text)
        if (match := _SYSCTL.match(line.text.strip()))
    ]


def parse_proc_sys(text: str, context: Context) -> list[Fact]:
    """cat /proc/sys/...: the value alone."""
    match = _PROC.search(context.command.line)
    line = next((line for line in context.lines(text) if line.text.strip()), None)
    return (
        [] if match is None or line is None else [setting(match[1].replace("/", "."), line.text.strip(), line, context)]
    )


def parse_kernel_file(text: str, context: Context) -> list[Fact]:
    """cat of a one-line file under /proc or /sys, getenforce: a setting named by its path."""
    rows = [line for line in context.lines(text) if line.text.strip()]
    path = next((path for path in context.command.paths() if path.startswith(("/proc/", "/sys/"))), "")
    name = path or context.command.program
    return [setting(name, rows[0].text.strip(), rows[0], context)] if len(rows) == 1 and name else []


def parse_env(text: str, context: Context) -> list[Fact]:
    """env, printenv, .env files: of a container its environment, else settings."""
    pairs = [(match[1], match[2], line) for line in context.lines(text) if (match := _ENV.fullmatch(line.text.strip()))]
    if not pairs:
        return []
    if context.command.inside:
        env = [f"{name}={value}" for name, value, _ in pairs]
        return [context.fact("container", context.command.inside, pairs[0][2], env=env)]
    return [setting(name, value.strip("'\""), line, context) for name, value, line in pairs[:_MOST]]


def parse_file(text: str, context: Context) -> list[Fact]:
    """A configuration file, or a grep of one: each setting under its section."""
    path = next(iter(context.command.paths()), "")
    if (path.endswith((".yml", ".yaml", ".json")) or text.lstrip()[:1] == "{") and (found := _yaml(text, context)):
        return found
    facts: list[Fact] = []
    section = ""
    for line in context.lines(text):
        if not line.text.strip() or _COMMENT.match(line.text):
            continue
        if match := _SECTION.match(line.text) or _BLOCK.match(line.text):
            section = match[1].strip()
        elif line.text.strip() == "}":
            section = ""
        elif match := _KEY.match(line.text) or _WORDS.match(line.text):
            name = f"{section}.{match[1]}" if section else match[1]
            facts.append(setting(name, match[2].strip().strip("'\""), line, context, path))
    return facts[:_MOST]


def _yaml(text: str, context: Context) -> list[Fact]:
    """Scalars of a YAML file under their paths; each is cited by the first line that has its key and value."""
    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return []
    lines = list(context.lines(text))
    path = next(iter(context.command.paths()), "")
    return [
        setting(name, str(value), _line_of(name, value, lines), context, path)
        for name, value in scalars(document)[:_MOST]
    ]


def scalars(document: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """`a.b.0` -> value, for all scalars."""
    if isinstance(document, dict):
        return [
            pair
            for key, value in document.items()
            for pair in scalars(value, f"{prefix}.{key}" if prefix else str(key))
        ]
    if isinstance(document, list):
        return [
            pair
            for at, value in enumerate(document)
            for pair in scalars(value, f"{prefix}.{at}" if prefix else str(at))
        ]
    return [(prefix, document)] if document is not None and prefix else []


def _line_of(name: str, value: Any, lines: list[Line]) -> Line | None:
    key = name.rpartition(".")[2]
    told = str(value).split("\n")[0]
    fitting = [line for line in lines if told in line.text]
    return next((line for line in fitting if key in line.text), fitting[0] if fitting else None)


def setting(name: str, value: str, line: Line | None, context: Context, origin: str = "") -> Fact:
    """One setting; a value that is a number is one."""
    plain = number(value)
    return context.fact(
        "setting", context.place, line, name=name, value=value if plain is None else plain, origin=origin
    )


_CONFS: Final = (
    "*.conf",
    "*.cnf",
    "*.ini",
    "*.cfg",
    "*.toml",
    "*.properties",
    "*.yml",
    "*.yaml",
    "*/default/*",
    "*.service",
    "*config",
    "/etc/docker/daemon.json",
    "*.env",
    ".env",
)
PARSERS: Final = (
    Parser("sysctl", parse_sysctl, ("sysctl",), ("/etc/sysctl*",), re.compile(r"\A(?:vm|net|kernel|fs)\.[\w.]+ = ")),
    Parser("/proc/sys", parse_proc_sys, files=("/proc/sys/*",)),
    Parser(
        "env",
        parse_env,
        ("env", "printenv", "export", "set"),
        ("*.env", ".env", "/proc/*/environ"),
        re.compile(r"\A(?:[A-Z_][A-Z0-9_]*=.*\n){3}"),
    ),
    Parser("configuration", parse_file, ("nginx -T", "crontab.conf", "docker config inspect"), _CONFS),
    Parser("kernel file", parse_kernel_file, ("getenforce",), ("/proc/*", "/sys/*")),
)
