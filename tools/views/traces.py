"""Views of call graphs and of calls between services."""

from domain.codec import Json
from tools.views.searched import searched


def edges(data: Json) -> str:
    """One line an edge: what changed, latency, errors."""
    return searched(data, [_edge(e) for e in data["edges"]])


def _edge(e: Json) -> str:
    head = f"{e['caller']} -> {e['callee']} {e['operation']}: {e['what'] or 'ok'} (score {e['score']:.1f})"
    calls = f"calls {e['calls_before']} -> {e['calls_after']}, errors {e['errors_before']} -> {e['errors_after']}"
    times = ", ".join(
        f"{name} {_ms(e[f'{name}_before_ms'])} -> {_ms(e[f'{name}_after_ms'])} ms"
        for name in ("p50", "p95", "self", "gap")
    )
    return f"{head}; {calls}; {times}"


def _ms(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"


def topology(data: Json) -> str:
    """Callees by caller, and what runs where."""
    by_caller: dict[str, list[str]] = {}
    for edge in data["edges"]:
        by_caller.setdefault(edge["caller"], []).append(edge["callee"])
    rows = [f"{caller} -> {', '.join(callees)}" for caller, callees in by_caller.items()]
    rows += [f"{service} runs on {node}" for service, node in sorted(data["runs_on"].items())]
    return searched(data, rows)
