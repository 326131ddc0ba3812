"""The network of a bundle: network/probes.json, and what captured commands say of it."""

from dataclasses import replace

from bundle.bundle import Bundle
from domain.results import Facts
from mcp_servers.fact_kinds import NETWORK
from mcp_servers.recorded.facts import collected


class RecordedNetwork:
    """The state that was recorded."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def probes(self, targets: list[str] | None = None) -> Facts:
        """All that was probed and seen of the network; nothing is probed now, and a target that was not is said."""
        found = collected(self._bundle).of_kinds(
            NETWORK, self._bundle, f"targets={','.join(targets)}" if targets else ""
        )
        known = {str(fact.attributes.get(name)) for fact in found.facts for name in ("target", "query", "path")}
        unmet = tuple(
            f"{target}: was not probed when this was recorded" for target in targets or () if target not in known
        )
        return replace(found, searched=replace(found.searched, problems=(*found.searched.problems, *unmet)))
