"""A short table of two reports of one incident: the recorded one, and the one that was made just now."""

from collections.abc import Sequence

from rich.table import Table

from domain.codec import Json

SHOWN = 60  # characters of a cell


def differences_table(old: Json, new: Json, unanswered: Sequence[str]) -> Table:
    """Cause, confidence, findings, citations, and what the recording could not answer."""
    table = Table("", "recorded", "now", "", box=None)
    for name, was, now in _rows(old, new):
        table.add_row(name, was, now, "" if was == now else "differs")
    table.add_row("calls not in the recording", "", str(len(unanswered)), "")
    return table


def _rows(old: Json, new: Json) -> list[tuple[str, str, str]]:
    first, second = (_told(report) for report in (old, new))
    return [(name, first[name][:SHOWN], second[name][:SHOWN]) for name in first]


def _told(report: Json) -> dict[str, str]:
    cause = report.get("root_cause") or {}
    evidence, comparison = report.get("evidence", []), report.get("comparison") or {}
    found = {
        by: sum(len(e["findings"]) for e in evidence if e["by"] == by) for by in sorted({e["by"] for e in evidence})
    }
    return {
        "verdict": str(report.get("verdict", "")),
        "entity": str(cause.get("entity", "")),
        "fault": str(cause.get("fault", "")),
        "confidence": f"{cause['confidence']:.2f}" if "confidence" in cause else "",
        "model alone": " ".join(str(comparison.get("model", {}).get(key, "")) for key in ("entity", "fault")).strip(),
        "agreement": str(comparison.get("agreement", "")),
        "findings": ", ".join(f"{count} of {by}" for by, count in found.items()),
        "citations": str(len(report.get("citations", []))),
        "not verified": str(len(report.get("unverified", []))),
        "gaps": str(len(report.get("gaps", []))),
        "tokens": str(report.get("run", {}).get("tokens", 0)),
    }
