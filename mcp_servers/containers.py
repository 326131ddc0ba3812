"""Containers, pods and the objects of a cluster as an MCP server: list, inspect, events, stats."""

from datetime import datetime
from typing import Annotated, Protocol

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from domain.results import Facts
from mcp_servers.governed import reads, server

Moment = Annotated[datetime | None, Field(description="RFC 3339, with a zone.")]


class ContainersSource(Protocol):
    """Where the state of containers comes from."""

    def list(self) -> Facts:
        """What runs, each with its state in a few attributes."""
        ...

    def inspect(self, name: str | None) -> Facts:
        """All that is known of one container, pod or object, or of all."""
        ...

    def events(self, since: datetime | None, until: datetime | None) -> Facts:
        """What the engine and the cluster reported, in order of time."""
        ...

    def stats(self) -> Facts:
        """What each container uses."""
        ...


def containers(source: ContainersSource) -> MCPServer:
    """The server over one source."""
    mcp = server("containers", "State, limits, health, events and use of containers, pods and cluster objects.")

    @reads(mcp, view="facts", roles=("infra",))
    def containers_list() -> Facts:
        """What runs and in what state: name, state, health, exit code, restarts, image. Start here."""
        return source.list()

    @reads(mcp, view="facts", roles=("infra",))
    def containers_inspect(
        name: Annotated[
            str | None, Field(description="Container, pod or object; all of them without it.", max_length=200)
        ] = None,
    ) -> Facts:
        """Why something does not run, restarts or is unhealthy: exit code, OOMKilled, limits, health output,
        environment, mounts, networks, image, command, conditions, pending reasons. Of one thing by name, or of all."""
        return source.inspect(name)

    @reads(mcp, view="facts", roles=("infra",))
    def containers_events(since: Moment = None, until: Moment = None) -> Facts:
        """What happened when: kills, ends with exit codes, OOM, health changes, image pulls; warnings of a cluster."""
        return source.events(since, until)

    @reads(mcp, view="facts", roles=("infra",))
    def containers_stats() -> Facts:
        """What each container uses of memory, CPU and pids, beside its limits. Ask when something is slow or killed."""
        return source.stats()

    return mcp
