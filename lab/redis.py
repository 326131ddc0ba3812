"""A real Redis on the stage, and what its exporter tells."""

from __future__ import annotations

from collections.abc import Iterable

from lab.monitor import Sampler
from lab.stage import Stage, wait_for_port

TOLD = ("used_memory", "maxmemory", "connected_clients", "evicted_keys", "total_error_replies")


def start(stage: Stage, name: str, *options: str, user: str | None = None) -> Sampler:
    """redis-server on the address of its name."""
    address = stage.host.addresses[name]
    command = ["redis-server", "--bind", address, "--protected-mode", "no", *options]
    stage.start(name, command, user=user)
    wait_for_port(address, 6379)

    def info() -> Iterable[tuple[str, str, float]]:
        said = dict(row.split(":", 1) for row in stage.run(f"redis-cli -h {name} info").split() if ":" in row)
        for metric in TOLD:
            if metric in said:
                yield f"service:{name}", metric, float(said[metric])

    return info
