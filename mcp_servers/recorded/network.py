"""The network of a bundle: network/probes.json, and what captured commands say of it."""

from bundle.bundle import Bundle
from domain.results import Facts
from mcp_servers.fact_kinds import NETWORK
from mcp_servers.recorded.facts import collected


class RecordedNetwork:
    """The state that was recorded."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def probes(self) -> Facts:
        """All that was probed and seen of the network."""
        return collected(self._bundle).of_kinds(NETWORK, self._bundle)
