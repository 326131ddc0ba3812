"""The topology server over topology.yaml, asked through a real session."""

from pathlib import Path

import pytest

from mcp_servers.recorded.topology import RecordedTopology
from mcp_servers.topology import topology
from tests.mcp_servers.evidence_bundle import ask, written


async def test_edges_and_nodes_are_read_and_broken_edges_counted(tmp_path: Path) -> None:
    text = "edges:\n- {from: web, to: api}\n- {from: api, to: db}\n- {from: api}\nruns_on: {web: node-1}\n"
    found = await ask(topology(RecordedTopology(written(tmp_path, {"topology.yaml": text}))), "topology_edges")
    assert [(edge["caller"], edge["callee"]) for edge in found["edges"]] == [("api", "db"), ("web", "api")]
    assert found["runs_on"] == {"web": "node-1"}
    assert found["searched"]["problems"] == ["topology.yaml: 1 edges without from and to"]


@pytest.mark.parametrize("text", ["[1, 2]", "edges: [", "just words"])
async def test_a_broken_file_is_a_problem_and_no_edges(tmp_path: Path, text: str) -> None:
    found = await ask(topology(RecordedTopology(written(tmp_path, {"topology.yaml": text}))), "topology_edges")
    assert found["edges"] == [] and len(found["searched"]["problems"]) == 1


async def test_a_bundle_without_the_file_says_so(tmp_path: Path) -> None:
    found = await ask(topology(RecordedTopology(written(tmp_path, {}))), "topology_edges")
    assert found["searched"]["source"] == "no topology.yaml in this bundle"
