"""docker inspect, docker network|volume|image inspect, podman inspect: JSON documents of the container engine."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Parser, safe_entity
from analysis.captures.jsons import Json, at, documents, mapping, objects, pairs, words
from analysis.captures.units import number
from domain.facts import Fact

COMPOSE: Final = "com.docker.compose."
_ZERO_TIME: Final = "0001-01-01"


def parse(text: str, context: Context) -> list[Fact]:
    """Facts of every document that docker inspect printed."""
    return inspect_facts(documents(text), context)


def inspect_facts(found: list[Json], context: Context) -> list[Fact]:
    """Facts of containers, networks, volumes and images; documents of another form are passed over."""
    return [fact for document in found if isinstance(document, dict) for fact in _document(document, context)]


def _document(document: dict[str, Json], context: Context) -> list[Fact]:
    if "State" in document or "HostConfig" in document or "NetworkSettings" in document:
        return [container(document, context)]
    if "IPAM" in document or "subnets" in document:
        return [_network(document, context)]
    if "Mountpoint" in document and "Driver" in document:
        return [_volume(document, context)]
    return [_image(document, context)] if "RepoTags" in document or "RootFS" in document else []


def container(document: dict[str, Json], context: Context) -> Fact:
    """One container of docker inspect."""
    name = str(document.get("Name") or at(document, "Names", 0) or document.get("Id", "")[:12]).lstrip("/")
    attributes = _state(document) | _health(document) | _config(document) | _limits(document) | _network_side(document)
    return context.fact("container", safe_entity("container", name), None, **attributes)


def _state(document: dict[str, Json]) -> dict[str, Any]:
    state = mapping(document, "State")
    return {
        "id": document.get("Id") or document.get("ID"),
        "state": _status(state, document),
        "exit_code": state.get("ExitCode"),
        "oom_killed": state.get("OOMKilled"),
        "error": state.get("Error"),
        "reason": "OOMKilled" if state.get("OOMKilled") else None,
        "restart_count": document.get("RestartCount"),
        "started_at": _time(state.get("StartedAt")),
        "finished_at": _time(state.get("FinishedAt")),
        "created_at": _time(document.get("Created")),
        "platform": document.get("Platform"),
    }


def _status(state: dict[str, Json], document: dict[str, Json]) -> Any:
    told = state.get("Status") or document.get("State")
    if isinstance(told, str):
        return told.lower()
    if state.get("Restarting"):
        return "restarting"
    return None if state.get("Running") is None else "running" if state["Running"] else "exited"


def _time(value: Json) -> str | None:
    return value if isinstance(value, str) and not value.startswith(_ZERO_TIME) else None


def _health(document: dict[str, Json]) -> dict[str, Any]:
    health = mapping(document, "State", "Health") or mapping(document, "State", "Healthcheck")
    log = objects(health, "Log")
    last = next((entry for entry in reversed(log) if entry.get("ExitCode")), log[-1] if log else {})
    check = mapping(document, "Config", "Healthcheck")
    test = words(check.get("Test"))
    return {
        "health": health.get("Status"),
        "health_streak": health.get("FailingStreak"),
        "health_output": str(last.get("Output") or "").strip()[:1000],
        "health_exit_code": last.get("ExitCode"),
        "health_command": " ".join(word for word in test if word not in ("CMD", "CMD-SHELL")),
        "health_interval": _seconds(check, "Interval", 30) if test else None,
        "health_timeout": _seconds(check, "Timeout", 30) if test else None,
        "health_retries": check.get("Retries") or 3 if test else None,
        "health_start_period": _seconds(check, "StartPeriod", 0) if test else None,
    }


def _seconds(check: dict[str, Json], name: str, usual: float) -> float:
    """Docker writes nanoseconds, and leaves out or writes 0 for its own default."""
    value = check.get(name)
    return value / 1e9 if isinstance(value, int | float) and value > 0 else usual


def _config(document: dict[str, Json]) -> dict[str, Any]:
    config, labels = mapping(document, "Config"), mapping(document, "Config", "Labels")
    return {
        "image": config.get("Image") or document.get("ImageName"),
        "image_id": document.get("Image"),
        "command": words(config.get("Cmd"))
        or " ".join([str(document.get("Path") or ""), *words(document.get("Args"))]).strip(),
        "entrypoint": words(config.get("Entrypoint")),
        "user": config.get("User"),
        "hostname": config.get("Hostname"),
        "env": words(config.get("Env")),
        "labels": pairs(labels),
        "exposed_ports": sorted(mapping(config, "ExposedPorts")),
        "service": labels.get(f"{COMPOSE}service"),
        "project": labels.get(f"{COMPOSE}project"),
        "depends_on": _depends(str(labels.get(f"{COMPOSE}depends_on") or "")),
    }


def _depends(label: str) -> list[str]:
    """`db:service_healthy:false,cache:service_started:true` -> [db, cache]."""
    return [item.partition(":")[0].strip() for item in label.split(",") if item.strip()]


def _limits(document: dict[str, Json]) -> dict[str, Any]:
    host = mapping(document, "HostConfig")
    cpu = number(str(host.get("NanoCpus") or 0)) or 0
    quota, period = host.get("CpuQuota") or 0, host.get("CpuPeriod") or 100_000
    return {
        "restart_policy": at(host, "RestartPolicy", "Name"),
        "memory_limit": _positive(host.get("Memory")),
        "cpu_limit": cpu / 1e9 if cpu else quota / period if quota > 0 else None,
        "pids_limit": _positive(host.get("PidsLimit")),
        "shm_size": host.get("ShmSize"),
        "ulimits": [f"{item.get('Name')}={item.get('Soft')}:{item.get('Hard')}" for item in objects(host, "Ulimits")],
        "privileged": host.get("Privileged"),
        "devices": [f"{item.get('PathOnHost')}:{item.get('PathInContainer')}" for item in objects(host, "Devices")],
        "groups": words(host.get("GroupAdd")),
        "security": _security(host),
        "log_driver": at(host, "LogConfig", "Type"),
        "init": bool(host["Init"]) if "Init" in host else None,
        "network_mode": host.get("NetworkMode"),
        "mounts": _mounts(document),
        "unmounted": True if document.get("Mounts") == [] and not _mounts(document) else None,
    }


def _security(host: dict[str, Json]) -> list[str]:
    """What it may do more or less than others: options, capabilities, a root file system that it may only read."""
    added = [f"cap_add={word}" for word in words(host.get("CapAdd"))]
    dropped = [f"cap_drop={word}" for word in words(host.get("CapDrop"))]
    read_only = ["read_only_root"] if host.get("ReadonlyRootfs") is True else []
    return words(host.get("SecurityOpt")) + added + dropped + read_only


def _positive(value: Json) -> int | None:
    """Zero and minus one mean no limit."""
    return value if isinstance(value, int) and value > 0 else None


def _mounts(document: dict[str, Json]) -> list[str]:
    told = [
        f"{mount.get('Name') or mount.get('Source') or mount.get('Type', '')}:{mount.get('Destination', '')}"
        f":{mount.get('Mode') or ('ro' if mount.get('RW') is False else 'rw')}"
        for mount in objects(document, "Mounts")
    ]
    tmpfs = [f"tmpfs:{path}:{options}" for path, options in sorted(mapping(document, "HostConfig", "Tmpfs").items())]
    return (told or words(at(document, "HostConfig", "Binds"))) + tmpfs


def _network_side(document: dict[str, Json]) -> dict[str, Any]:
    networks = mapping(document, "NetworkSettings", "Networks")
    known = {name: entry for name, entry in networks.items() if isinstance(entry, dict)}
    addresses = {name: str(entry.get("IPAddress") or "") for name, entry in known.items()}
    alone = at(document, "NetworkSettings", "IPAddress")
    return {
        "networks": [f"{name}={address}" if address else name for name, address in sorted(addresses.items())],
        "addresses": sorted({address for address in (*addresses.values(), alone) if address}),
        "aliases": sorted({word for entry in known.values() for word in words(entry.get("Aliases"))}),
        "ports": _ports(
            mapping(document, "NetworkSettings", "Ports") or mapping(document, "HostConfig", "PortBindings")
        ),
    }


def _ports(bindings: dict[str, Json]) -> list[str]:
    """`0.0.0.0:8080->80/tcp`, as docker ps writes it; what is only exposed stands alone."""
    found = []
    for port, hosts in sorted(bindings.items()):
        published = [f"{host.get('HostIp') or '0.0.0.0'}:{host.get('HostPort')}->{port}" for host in hosts or []]
        found += published or [port]
    return found


def _network(document: dict[str, Json], context: Context) -> Fact:
    name = document.get("Name") or document.get("name")
    members = list(mapping(document, "Containers").values())
    ranges = objects(document, "IPAM", "Config") or objects(document, "subnets")
    return context.fact(
        "docker_network",
        safe_entity("network", name),
        None,
        name=name,
        driver=document.get("Driver") or document.get("driver"),
        internal=document.get("Internal"),
        subnet=next((r.get("Subnet") or r.get("subnet") for r in ranges), None),
        gateway=next((r.get("Gateway") or r.get("gateway") for r in ranges), None),
        containers=sorted(str(at(member, "Name")) for member in members if at(member, "Name")),
        addresses=sorted(
            f"{at(member, 'Name')}={str(at(member, 'IPv4Address') or '').partition('/')[0]}"
            for member in members
            if at(member, "IPv4Address")
        ),
        options=pairs(document.get("Options")),
        attachable=document.get("Attachable"),
        scope=document.get("Scope"),
    )


def _volume(document: dict[str, Json], context: Context) -> Fact:
    name = document.get("Name")
    return context.fact(
        "volume",
        safe_entity("volume", name),
        None,
        name=name,
        driver=document.get("Driver"),
        mountpoint=document.get("Mountpoint"),
        created=document.get("CreatedAt"),
        options=pairs(document.get("Options")),
        size=_positive(at(document, "UsageData", "Size")),
    )


def _image(document: dict[str, Json], context: Context) -> Fact:
    name = at(document, "RepoTags", 0) or at(document, "RepoDigests", 0) or str(document.get("Id", ""))[:19]
    config = mapping(document, "Config")
    return context.fact(
        "image",
        safe_entity("external", name),
        None,
        name=str(name).rpartition(":")[0] or name,
        tag=str(name).rpartition(":")[2],
        digest=at(document, "RepoDigests", 0) or document.get("Id"),
        created=document.get("Created"),
        architecture=document.get("Architecture"),
        os=document.get("Os"),
        size=document.get("Size"),
        entrypoint=words(config.get("Entrypoint")),
        command=words(config.get("Cmd")),
        exposed_ports=sorted(mapping(config, "ExposedPorts")),
        labels=pairs(config.get("Labels")),
    )


PARSERS: Final = (
    Parser(
        "docker inspect", parse,
        ("docker inspect", "docker container inspect", "docker network inspect", "docker volume inspect",
         "docker image inspect", "podman inspect", "podman network inspect", "podman volume inspect",
         "nerdctl inspect"),
        looks=re.compile(r'\A\s*\[?\s*\{.*"(?:RestartCount|HostConfig|NetworkSettings|IPAM|Mountpoint|RepoTags)"',
        re.DOTALL),
    ),
)  # fmt: skip
