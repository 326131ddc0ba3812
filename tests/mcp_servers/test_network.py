"""The network server over a bundle, through real MCP sessions."""

from pathlib import Path

from mcp import Client

from domain.codec import from_plain
from domain.results import Facts
from mcp_servers.network import network
from mcp_servers.recorded.network import RecordedNetwork
from tests.mcp_servers.infra_bundle import infra_bundle


async def ask(folder: Path, extra: dict[str, str] | None = None) -> Facts:
    async with Client(network(RecordedNetwork(infra_bundle(folder, extra)))) as client:
        result = await client.call_tool("network_probes", {})
    assert not result.is_error, result.content
    return from_plain(Facts, result.structured_content)


async def test_a_recorded_probe_that_failed_says_so(tmp_path: Path) -> None:
    (fact,) = (await ask(tmp_path)).facts
    assert (fact.kind, fact.entity) == ("probe", "service:shop-db:5432")
    assert fact.attributes == {"type": "tcp", "target": "shop-db:5432", "ok": False, "error": "connection refused"}


async def test_file_systems_are_not_the_networks_business(tmp_path: Path) -> None:
    assert {fact.kind for fact in (await ask(tmp_path)).facts} == {"probe"}
