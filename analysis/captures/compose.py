"""docker compose config and compose files: what was asked to run, with environment, volumes, checks and limits."""

import re
from typing import Any, Final

import yaml

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.jsons import Json, at, mapping, pairs, words
from analysis.captures.units import number, size
from domain.facts import Fact

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse(text: str, context: Context) -> list[Fact]:
    """One container a service, one network, one volume each."""
    try:
        document = yaml.load(text, Loader=_LOADER)
    except yaml.YAMLError:
        return []
    services = mapping(document, "services")
    if not services:
        return []
    lines = list(context.lines(text))
    project = at(document, "name")
    facts = [_service(name, body, project, lines, context) for name, body in services.items() if isinstance(body, dict)]
    for name, body in mapping(document, "networks").items():
        facts.append(_network(str(name), body, lines, context))
    for name, body in mapping(document, "volumes").items():
        of = safe_entity("volume", at(body, "name") or name)
        facts.append(
            context.fact(
                "volume",
                of,
                _line(str(name), lines),
                name=at(body, "name") or name,
                driver=at(body, "driver"),
                options=pairs(at(body, "driver_opts")),
            )
        )
    return facts


def _line(name: str, lines: list[Line]) -> Line | None:
    """The line that opens a block of this name."""
    return next((line for line in lines if line.text.strip() in (f"{name}:", f'"{name}":')), None)


def _service(name: str, body: dict[str, Json], project: Json, lines: list[Line], context: Context) -> Fact:
    check = mapping(body, "healthcheck")
    return context.fact(
        "container",
        safe_entity("container", body.get("container_name") or name),
        _line(name, lines),
        service=name,
        project=project,
        image=body.get("image"),
        command=_words(body.get("command")),
        entrypoint=_words(body.get("entrypoint")),
        user=body.get("user"),
        env=_listed(body.get("environment")),
        mounts=_mounts(body),
        put_files=[*_put(body, "configs", "/"), *_put(body, "secrets", "/run/secrets/")],
        networks=_keys(body.get("networks")),
        ports=_ports(body),
        labels=_listed(body.get("labels")),
        depends_on=_keys(body.get("depends_on")),
        restart_policy=body.get("restart"),
        health_command=" ".join(w for w in _words(check.get("test")) if w not in ("CMD", "CMD-SHELL")),
        hostname=body.get("hostname"),
        network_mode=body.get("network_mode"),
        privileged=body.get("privileged"),
        init=body.get("init"),
        platform=body.get("platform"),
        security=words(body.get("security_opt")),
        log_driver=at(body, "logging", "driver"),
        **_limits(body),
    )


def _limits(body: dict[str, Json]) -> dict[str, Any]:
    limits = mapping(body, "deploy", "resources", "limits")
    cpu = limits.get("cpus") or body.get("cpus")
    ulimits = [
        f"{name}={at(value, 'soft') or value}:{at(value, 'hard') or value}"
        for name, value in mapping(body, "ulimits").items()
    ]
    return {
        "memory_limit": size(str(limits.get("memory") or body.get("mem_limit") or "")),
        "cpu_limit": number(str(cpu or "")),
        "pids_limit": limits.get("pids") or body.get("pids_limit"),
        "shm_size": size(str(body.get("shm_size") or "")),
        "ulimits": ulimits,
    }


def _words(value: Json) -> list[str]:
    return words(value)


def _listed(value: Json) -> list[str]:
    """`NAME=value`, whether written as a list or as a mapping; a name without a value comes from outside."""
    if isinstance(value, dict):
        return [f"{key}={'' if item is None else item}" for key, item in value.items()]
    return [str(item) for item in value] if isinstance(value, list) else []


def _keys(value: Json) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | dict) else []


def _mounts(body: dict[str, Json]) -> list[str]:
    found = []
    for mount in body.get("volumes") or []:
        if isinstance(mount, dict):
            mode = "ro" if mount.get("read_only") else "rw"
            found.append(f"{mount.get('source') or mount.get('type')}:{mount.get('target')}:{mode}")
        else:
            found.append(str(mount) if str(mount).count(":") > 1 else f"{mount}:rw")
    return found


def _put(body: dict[str, Json], kind: str, folder: str) -> list[str]:
    """Where the files are that compose puts into the container, besides volumes."""
    told = [each for each in body.get(kind) or [] if isinstance(each, str | dict)]
    names = [str(each.get("target") or each.get("source")) if isinstance(each, dict) else each for each in told]
    return [name if name.startswith("/") else f"{folder}{name}" for name in names]


def _ports(body: dict[str, Json]) -> list[str]:
    found = []
    for port in body.get("ports") or []:
        if isinstance(port, dict):
            found.append(
                f"{port.get('host_ip') or '0.0.0.0'}:{port.get('published')}->"
                f"{port.get('target')}/{port.get('protocol', 'tcp')}"
            )
        else:
            found.append(str(port))
    return found


def _network(name: str, body: Json, lines: list[Line], context: Context) -> Fact:
    told = at(body, "name") or name
    configs = at(body, "ipam", "config")
    subnet = at(configs, 0, "subnet") if isinstance(configs, list) else None
    return context.fact(
        "docker_network",
        safe_entity("network", told),
        _line(name, lines),
        name=told,
        driver=at(body, "driver"),
        internal=at(body, "internal"),
        subnet=subnet,
        options=pairs(at(body, "driver_opts")),
        scope="external" if at(body, "external") else None,
    )


PARSERS: Final = (
    Parser(
        "compose",
        parse,
        ("docker compose config", "docker-compose config", "docker compose convert"),
        ("*compose*.yml", "*compose*.yaml"),
        re.compile(r"^services:\s*$", re.MULTILINE),
    ),
)
