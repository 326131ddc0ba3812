"""A small bundle on disk for the servers of the metric agent, written as recorders write it."""

import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer

from bundle.bundle import Bundle, open_bundle

FIRED = datetime(2026, 1, 1, 12, tzinfo=UTC)
ALERT = {
    "status": "firing",
    "alerts": [{"status": "firing", "labels": {"alertname": "LatencyHigh", "service": "web"}, "annotations": {}}],
}


def stamp(minutes: float) -> str:
    """The time that many minutes from the alert, as recorders write it."""
    return (FIRED + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def written(root: Path, files: Mapping[str, str]) -> Bundle:
    """A bundle with the alert at FIRED, a window until five minutes later, and the files; .gz ones are packed."""
    (root / "incident.yaml").write_text(
        f"schema: fishbone/bundle@1\nid: b1\ntitle: web is slow\nfired_at: '{stamp(0)}'\n"
        f"window: {{start: '{stamp(-120)}', end: '{stamp(5)}'}}\ntimezone: UTC\n"
    )
    (root / "alert.json").write_text(json.dumps(ALERT))
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return open_bundle(root)


def table(series: Mapping[tuple[str, str], tuple[float, float]]) -> str:
    """A metrics CSV of an hour: each series at its first value, at its second since two minutes before the alert."""
    rows = ["timestamp,entity,metric,value"]
    for (entity, metric), (usual, since) in series.items():
        for minute in range(-60, 5):
            value = (since if minute >= -2 else usual) * (1 + minute % 3 / 200)
            rows.append(f"{stamp(minute)},{entity},{metric},{value}")
    return "\n".join(rows) + "\n"


async def ask(server: MCPServer, tool: str, **arguments: Any) -> Any:
    """The structured answer of one call over a real in-memory session."""
    async with Client(server) as client:
        answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content
