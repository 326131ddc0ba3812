"""Our own servers over this machine as it is now, those on other hosts, and foreign ones, by name."""

import socket
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from mcp.server.mcpserver import MCPServer

from app.foreign import foreign_targets
from app.settings import Settings
from domain.alert import Incident
from mcp_servers.changes import changes
from mcp_servers.containers import containers
from mcp_servers.host import host
from mcp_servers.live.changes import LiveChanges
from mcp_servers.live.containers import LiveContainers, names_by_id
from mcp_servers.live.engine import Engine
from mcp_servers.live.host import LiveHost
from mcp_servers.live.logs import LiveLogs
from mcp_servers.live.metrics import LiveMetrics
from mcp_servers.live.network import LiveNetwork
from mcp_servers.live.prometheus import Prometheus
from mcp_servers.live.targets import Allowed
from mcp_servers.live.topology import LiveTopology
from mcp_servers.live.traces import LiveTraces
from mcp_servers.live.watch import Watch
from mcp_servers.logs import logs
from mcp_servers.metrics import metrics
from mcp_servers.network import network
from mcp_servers.topology import topology
from mcp_servers.traces import traces
from tools.targets import Remote, Target

_USUAL_LOGS: Final = ("/var/log/*.log", "/var/log/*/*.log", "/var/log/syslog", "/var/log/messages")
_SERVED_BACK: Final = timedelta(hours=6)  # how far a server that belongs to no incident looks back


@dataclass(frozen=True)
class LiveSources:
    """Where the evidence of this machine comes from."""

    engine: Engine
    logs: LiveLogs
    metrics: LiveMetrics
    topology: LiveTopology
    containers: LiveContainers
    host: LiveHost
    network: LiveNetwork
    changes: LiveChanges


def live_servers(settings: Settings, incident: Incident) -> dict[str, Target]:
    """The servers of evidence for an incident; the runbooks are the caller's to add."""
    watch = Watch(_host(settings), incident.timezone or settings.timezone, incident.window)
    own: dict[str, Target] = dict(evidence_servers(settings, watch))
    return own | remote_targets(settings) | foreign_targets(settings)


def served(settings: Settings, *, beyond: bool = False) -> dict[str, MCPServer]:
    """The servers for clients outside; for those on other hosts the names of logs tell whose they are."""
    watch = Watch(_host(settings), settings.timezone, back=_SERVED_BACK)
    return evidence_servers(settings, watch, prefix=f"{watch.host}/" if beyond else "")


def evidence_servers(settings: Settings, watch: Watch, *, prefix: str = "") -> dict[str, MCPServer]:
    """The servers over this machine's evidence."""
    of = live_sources(settings, watch, prefix=prefix)
    return {
        "logs": logs(of.logs),
        "metrics": metrics(of.metrics),
        "traces": traces(LiveTraces()),
        "topology": topology(of.topology),
        "containers": containers(of.containers),
        "host": host(of.host),
        "network": network(of.network),
        "changes": changes(of.changes),
    }


def live_sources(settings: Settings, watch: Watch, *, prefix: str = "") -> LiveSources:
    """The sources that the settings name, for the time of the watch."""
    engine = Engine(settings.docker_host)
    return LiveSources(
        engine,
        LiveLogs(log_globs(settings), engine, settings.journal, watch, prefix=prefix),
        LiveMetrics(prometheus_of(settings), watch),
        LiveTopology(engine, watch),
        LiveContainers(engine, watch),
        LiveHost(watch, lambda: names_by_id(engine)),
        LiveNetwork(Allowed(settings.network_allow.split(",")), engine, watch),
        LiveChanges(engine, watch),
    )


def prometheus_of(settings: Settings) -> Prometheus | None:
    """The Prometheus that is named in the settings."""
    token = settings.prometheus_token
    headers = {"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}
    return Prometheus(settings.prometheus_url, headers=headers) if settings.prometheus_url else None


def remote_targets(settings: Settings) -> dict[str, Target]:
    """Our servers on other hosts: `db1` or `db1.containers`."""
    found: dict[str, Target] = {}
    for name, remote in sorted(settings.remote.items()):
        token = remote.token.get_secret_value() if remote.token else ""
        at = remote.url.rstrip("/").removesuffix("/mcp")
        if not remote.areas:
            found[name] = Remote(f"{at}/mcp", token)
        for area in remote.areas:
            found[f"{name}.{area}"] = Remote(f"{at}/{area}/mcp", token)
    return found


def log_globs(settings: Settings) -> tuple[str, ...]:
    """The globs of the settings; of the usual ones those that match, since nobody said that they must."""
    given = tuple(part.strip() for part in settings.log_globs.split(",") if part.strip())
    return given or tuple(glob for glob in _USUAL_LOGS if next(Path("/").glob(glob[1:]), None))


def _host(settings: Settings) -> str:
    return settings.host_name or socket.gethostname()
