"""The machine of a bundle: host/snapshot.json, and what captured commands say of it and of the servers on it."""

from bundle.bundle import Bundle
from domain.results import Facts
from mcp_servers.fact_kinds import HOST
from mcp_servers.recorded.facts import collected


class RecordedHost:
    """The state that was recorded."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def snapshot(self, kinds: list[str] | None) -> Facts:
        """Facts of these kinds, or of all that are about the machine and its servers."""
        wanted = HOST & frozenset(kinds) if kinds else HOST
        return collected(self._bundle).of_kinds(wanted, self._bundle, f"kinds={','.join(kinds)}" if kinds else "")
