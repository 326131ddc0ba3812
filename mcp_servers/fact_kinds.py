"""Which server hands out which kinds of facts: each kind has one owner."""

from typing import Final

from domain.facts import FACTS

CONTAINERS: Final = frozenset({
    "container", "pod", "workload", "event", "claim", "storage_class", "node", "object", "image", "volume", "cluster",
})  # fmt: skip
NETWORK: Final = frozenset(
    {"probe", "dns", "socket", "interface", "route", "firewall", "certificate", "docker_network"}
)
HOST: Final = frozenset(FACTS) - CONTAINERS - NETWORK
