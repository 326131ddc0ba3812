"""The traces server over recorded files, asked through a real session."""

from pathlib import Path

from mcp_servers.recorded.traces import RecordedTraces
from mcp_servers.traces import traces
from tests.mcp_servers.evidence_bundle import FIRED, ask, stamp, written

HEADER = "trace_id,span_id,parent_span_id,entity,operation,start,duration_ms,status\n"


def calls(minute: float, number: int, gap: float, epoch: bool = False) -> str:
    start = str(FIRED.timestamp() + minute * 60) if epoch else stamp(minute)
    return (
        f"t{number},a,,web,GET /,{start},{gap + 20},OK\n"
        f"t{number},b,a,web,call,{start},{gap + 10},OK\n"
        f"t{number},c,b,api,GET /x,{start},10,OK\n"
    )


async def test_a_delayed_call_is_found_whatever_form_the_stamps_have(tmp_path: Path) -> None:
    text = HEADER + "".join(calls(-30 + n / 10, n, 2, epoch=n % 2 == 0) for n in range(20))
    text += "".join(calls(-1, 100 + n, 400) for n in range(5))
    found = await ask(
        traces(RecordedTraces(written(tmp_path, {"traces/spans.csv.gz": text}))), "traces_edges", moment=stamp(0)
    )
    delayed = [edge for edge in found["edges"] if edge["what"] == "network_delay"]
    assert [(edge["caller"], edge["callee"], edge["calls_before"], edge["calls_after"]) for edge in delayed] == [
        ("web", "api", 20, 5)
    ]


async def test_late_and_unreadable_spans_are_counted_and_orphans_are_told(tmp_path: Path) -> None:
    text = (
        HEADER
        + calls(-30, 1, 2)
        + calls(60, 2, 2)
        + "t3,a,,web,GET /,never,5,OK\n"
        + f"t4,x,gone,api,GET /x,{stamp(-9)},5,OK\n"
    )
    found = await ask(
        traces(RecordedTraces(written(tmp_path, {"traces/spans.csv": text}))), "traces_edges", moment=stamp(0)
    )
    assert found["searched"]["after_window"] == 3
    assert len(found["searched"]["problems"]) == 2


async def test_no_traces_are_an_answer(tmp_path: Path) -> None:
    found = await ask(traces(RecordedTraces(written(tmp_path, {}))), "traces_edges", moment=stamp(0))
    assert found["edges"] == [] and found["searched"]["source"] == "no traces in this bundle"
