"""Recorded incidents on which no signature may fire: the healthy twins, asked through the same servers as always."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from mcp import Client

from analysis.signatures import metric_findings, state_findings, text_findings, text_signatures
from app.sources import evidence_servers
from bundle.bundle import Bundle, open_bundle
from domain.codec import from_plain
from domain.evidence import Finding
from domain.results import Facts, SeriesSummaries, SignatureHits
from domain.runbook import Runbook
from rag.check import Twin

_TOP: Final = 200
_STATES: Final = (
    ("containers", "containers_inspect"), ("containers", "containers_events"), ("containers", "containers_stats"),
    ("host", "host_snapshot"), ("network", "network_probes"),
)  # fmt: skip


def healthy_twins(incidents: Path) -> dict[str, Twin]:
    """What runs all signatures over each healthy twin in the folder, by the twin's name."""
    return {folder.name: _twin(folder) for folder in sorted(incidents.glob("*-healthy")) if folder.is_dir()}


def _twin(folder: Path) -> Twin:
    def fired(runbooks: Sequence[Runbook]) -> list[Finding]:
        return asyncio.run(_findings(open_bundle(folder), runbooks))

    return fired


async def _findings(bundle: Bundle, runbooks: Sequence[Runbook]) -> list[Finding]:
    servers = evidence_servers(bundle)
    found: list[Finding] = []
    for server, tool, arguments, of, read in _questions(bundle, runbooks):
        async with Client(servers[server]) as client:
            result = await client.call_tool(tool, arguments)
        if not result.is_error:
            found.extend(read(from_plain(of, result.structured_content), tool, runbooks))
    return found


def _questions(
    bundle: Bundle, runbooks: Sequence[Runbook]
) -> Iterator[tuple[str, str, dict[str, Any], type[Any], Callable[..., list[Finding]]]]:
    signatures = text_signatures(runbooks)
    if signatures:
        yield "logs", "logs_match", {"signatures": signatures}, SignatureHits, text_findings
    for server, tool in _STATES:
        yield server, tool, {}, Facts, state_findings
    moment = bundle.fired_at.isoformat()
    yield "metrics", "metrics_anomalies", {"moment": moment, "top": _TOP}, SeriesSummaries, metric_findings
