"""The changes server over changes.jsonl, asked through a real session."""

import json
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from mcp_servers.changes import changes
from mcp_servers.recorded.changes import RecordedChanges
from tests.mcp_servers.evidence_bundle import ask, stamp, written

RAW = [
    {"time": stamp(-90), "entity": "api", "kind": "commit", "id": "c1", "summary": "tidy", "files": ["api/x.go"],
     "diff": "artifacts/c1.diff"},
    {"time": stamp(-60), "entity": "api", "kind": "deploy", "id": "d1", "summary": "deploy api", "commit": "c1"},
    {"time": stamp(-30), "entity": "mail", "kind": "flag", "id": "f1", "summary": "off->on", "actor": "someone"},
    {"time": stamp(60), "entity": "api", "kind": "deploy", "id": "d2", "summary": "later"},
]  # fmt: skip
FILES = {
    "changes.jsonl": "\n".join(json.dumps(one) for one in RAW) + "\nnot json\n",
    "artifacts/c1.diff": "--- a\n+++ b\n- old\n+ new\n",
    "topology.yaml": "edges: [{from: web, to: api}, {from: batch, to: mail}]",
}


def server(root: Path) -> MCPServer:
    return changes(RecordedChanges(written(root, FILES)))


async def test_changes_come_latest_first_with_how_long_before_and_whether_they_reach_the_symptom(
    tmp_path: Path,
) -> None:
    found = await ask(server(tmp_path), "changes_before", moment=stamp(0), symptom="service:web")
    told = [(one["id"], one["minutes_before"], one["reachable"], one["distance"]) for one in found["changes"]]
    assert told == [("f1", 30.0, False, None), ("d1", 60.0, True, 1), ("c1", 90.0, True, 1)]


async def test_a_change_is_quoted_by_its_raw_line_and_later_ones_are_withheld(tmp_path: Path) -> None:
    found = await ask(server(tmp_path), "changes_before", moment=stamp(0), minutes=70)
    first = found["changes"][0]
    assert (first["line"], first["quote"]) == (3, json.dumps(RAW[2]))
    assert found["searched"]["after_window"] == 1
    assert found["searched"]["problems"] == ["changes.jsonl:5: no JSON object"]


async def test_a_diff_is_read_by_its_commit_or_the_deploy_of_it_and_cut_at_line_ends(tmp_path: Path) -> None:
    asked = server(tmp_path)
    whole = await ask(asked, "changes_diff", change="c1")
    none = await ask(asked, "changes_diff", change="f1")
    assert [line["text"] for line in whole["lines"]] == ["--- a", "+++ b", "- old", "+ new"]
    assert whole["lines"][0]["source"] == "artifacts/c1.diff"
    assert none["lines"] == [] and none["searched"]["problems"] == ["no diff is known of f1"]


async def test_a_bundle_without_changes_says_so(tmp_path: Path) -> None:
    found = await ask(changes(RecordedChanges(written(tmp_path, {}))), "changes_before", moment=stamp(0))
    assert found["changes"] == [] and found["searched"]["source"] == "no changes.jsonl in this bundle"
