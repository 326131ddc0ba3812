"""The log tactic from its first calls to its evidence, on what the real server answers."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from agents.offline.log import step
from agents.tactic import Observation, ToolCalls
from bundle.bundle import open_bundle
from domain.alert import Alert, Window
from domain.codec import dumps
from domain.evidence import Evidence, Severity
from domain.plan import Task
from domain.runbook import Runbook, Signature
from mcp_servers.logs import logs
from mcp_servers.recorded.logs import RecordedLogs

FIRED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task(
    agent="log", incident="i", title="checkout fails", alerts=(Alert("generic", "CheckoutFails"),),
    entities=("container:shop-web",),
    window=Window(datetime(2026, 3, 1, 11, 0, tzinfo=UTC), datetime(2026, 3, 1, 12, 5, tzinfo=UTC)),
    fired_at="2026-03-01T12:00:00Z", timezone="UTC", questions=(), tools=(),
)  # fmt: skip
MANIFEST = """\
id: small
fired_at: '2026-03-01T12:00:00Z'
window: {start: '2026-03-01T11:00:00Z', end: '2026-03-01T12:05:00Z'}
timezone: UTC
"""
SLOTS = Runbook(
    name="connections", description="", fault="database.connections_exhausted", entity="database", summary="",
    signatures=(Signature("refused", "{entity} refuses connections", 0.8, text=r"FATAL: +sorry, too many clients"),),
)  # fmt: skip


async def investigate(root: Path, files: dict[str, str], knowledge: tuple[Runbook, ...] = ()) -> Evidence:
    """Runs the tactic against the server over a bundle of these files."""
    for name, text in {"incident.yaml": MANIFEST, "alert.json": "{}", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    seen: tuple[Observation, ...] = ()
    async with Client(logs(RecordedLogs(open_bundle(root)))) as client:
        for _ in range(4):
            answer = step(TASK, seen, knowledge)
            if isinstance(answer, Evidence):
                return answer
            for call in answer.calls:
                result = await client.call_tool(call.tool, call.arguments)
                assert not result.is_error, result.content
                data: Any = result.structured_content
                seen += (Observation(f"log.{len(seen) + 1}", call.tool, call.arguments, "ok", data),)
    raise AssertionError("the tactic does not conclude")


def steady(text: str, until: int = 64) -> str:
    """One line a minute from 11:00 on."""
    return "".join(f"2026-03-01T{11 + at // 60}:{at % 60:02}:00Z {text}\n" for at in range(until))


def test_the_first_step_asks_for_everything_at_once() -> None:
    calls = step(TASK, (), (SLOTS,))
    assert isinstance(calls, ToolCalls)
    assert [call.tool for call in calls.calls] == ["logs_list", "logs_match", "logs_novel", "logs_templates"]
    assert calls.calls[1].arguments["signatures"][0]["id"] == "connections/refused"
    without = step(TASK, (), ())
    assert isinstance(without, ToolCalls) and "logs_match" not in [call.tool for call in without.calls]


async def test_a_known_sign_comes_first_and_carries_the_fault(tmp_path: Path) -> None:
    line = "2026-03-01T11:58:00Z FATAL:  sorry, too many clients already\n"
    found = await investigate(tmp_path, {"logs/db.log": steady("LOG: checkpoint") + line}, (SLOTS,))
    known = found.findings[0]
    assert known.kind == "database.connections_exhausted" and known.signature == "connections/refused"
    assert known.citations[0].quote == "FATAL:  sorry, too many clients"
    assert "1 known sign of a fault stands in 1 text source" in found.conclusion
    assert not any(each.kind == "log.new" for each in found.findings), "the same line is not told twice"


async def test_a_known_sign_in_a_capture_is_about_what_alerted_and_not_about_the_file(tmp_path: Path) -> None:
    found = await investigate(tmp_path, {"artifacts/facts.txt": "FATAL: sorry, too many clients already\n"}, (SLOTS,))
    assert found.findings[0].entity == "container:shop-web"


async def test_a_new_error_says_what_the_line_says_and_quotes_it(tmp_path: Path) -> None:
    line = "2026-03-01T11:58:00Z ERROR cannot reach ledger:9000: connection refused\n"
    found = await investigate(tmp_path, {"logs/shop-web.log": steady("INFO served a page") + line * 3})
    finding = found.findings[0]
    assert (finding.kind, finding.entity, finding.severity) == ("log.new", "container:shop-web", Severity.ERROR)
    assert "cannot reach ledger:9000: connection refused" in finding.statement and "3 times" in finding.statement
    assert finding.onset == datetime(2026, 3, 1, 11, 58, tzinfo=UTC)
    (cited,) = finding.citations
    assert cited.quote is not None and cited.quote in line and (cited.source, cited.line) == ("logs/shop-web.log", 65)


async def test_an_error_of_always_is_less_than_a_new_one_and_repetition_gives_no_weight(tmp_path: Path) -> None:
    loud = steady("ERROR optional plugin is missing") * 5
    new = "2026-03-01T11:59:00Z ERROR ledger gave no answer\n"
    found = await investigate(tmp_path, {"logs/batch.log": loud, "logs/shop-web.log": steady("INFO fine") + new})
    assert [finding.kind for finding in found.findings[:2]] == ["log.new", "log.error"]
    assert found.findings[0].weight > found.findings[1].weight
    assert "ledger gave no answer" in found.conclusion


async def test_a_source_that_fell_silent_is_told_with_its_last_words(tmp_path: Path) -> None:
    files = {"logs/shop-db.log": steady("INFO alive", 30) + "2026-03-01T11:30:00Z INFO shutting down now\n"}
    found = await investigate(tmp_path, files | {"logs/shop-web.log": steady("INFO served")})
    (gone,) = (finding for finding in found.findings if finding.kind == "log.gap")
    assert gone.entity == "service:shop-db" and "nothing after 2026-03-01T11:30:00Z" in gone.statement
    assert "shutting down now" in gone.statement
    by_path, by_quote = gone.citations
    assert (by_path.path, by_path.value) == ("/sources/0/last", "2026-03-01T11:30:00Z")
    assert by_quote.quote == "INFO shutting down now" and by_quote.line == 31


async def test_the_same_message_in_two_captures_is_one_finding(tmp_path: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad price in row 7\n'
    found = await investigate(tmp_path, {"artifacts/logs.txt": text, "artifacts/previous.txt": text})
    assert [finding.citations[0].quote for finding in found.findings] == ["ValueError: bad price in row 7"]
    assert found.findings[0].entity == "container:shop-web"


async def test_a_json_line_speaks_by_its_message_and_names_its_own_service(tmp_path: Path) -> None:
    line = '{"ts":"2026-03-01T11:59:00Z","level":"error","service":"ledger","msg":"disk quota exceeded on /var/lib"}\n'
    found = await investigate(tmp_path, {"logs/all.jsonl": line})
    assert found.findings[0].statement == "logs/all.jsonl says: disk quota exceeded on /var/lib"
    assert found.findings[0].entity == "service:ledger" and found.findings[0].citations[0].quote in line


async def test_the_few_words_of_a_program_that_states_no_level_are_heard(tmp_path: Path) -> None:
    text = "stdout:\nLoading settings\nsetting REGION is not set\n"
    found = await investigate(tmp_path, {"artifacts/pod_logs.txt": text})
    assert [finding.citations[0].quote for finding in found.findings] == ["setting REGION is not set"]
    assert found.findings[0].severity == Severity.WARNING


async def test_hundreds_of_different_errors_are_bounded(tmp_path: Path) -> None:
    words = [f"{a}{b}" for a in "abcdefghijklmn" for b in "opqrstuvwxyz"]
    text = "".join(f"2026-03-01T11:59:00Z ERROR {word} {word[::-1]} {word * 2} broke\n" for word in words)
    found = await investigate(tmp_path, {"logs/shop-web.log": steady("INFO fine") + text})
    assert len(found.findings) == 40


async def test_quiet_logs_are_looked_at_and_say_so(tmp_path: Path) -> None:
    found = await investigate(tmp_path, {"logs/shop-web.log": steady("INFO served")})
    assert found.findings == () and found.gaps == ()
    assert found.conclusion == "No known sign of a fault and no new or error line stands in 1 text source."


async def test_what_could_not_be_read_is_a_gap_once(tmp_path: Path) -> None:
    found = await investigate(tmp_path, {"logs/web.log.gz": "not gzip", "logs/core": "\0\1\2" * 99})
    assert [gap.what for gap in found.gaps] == ["logs/core", "logs/web.log.gz", "logs"]
    assert found.conclusion == "There is no text source to read."


@pytest.mark.parametrize("status", ["denied", "timeout", "unavailable"])
def test_refused_calls_end_in_evidence_with_gaps(status: str) -> None:
    seen = tuple(
        Observation(f"log.{n}", tool, {}, status, error="no") for n, tool in enumerate(("logs_list", "logs_match"))
    )
    found = step(TASK, seen, (SLOTS,))
    assert isinstance(found, Evidence)
    assert [(gap.what, gap.why) for gap in found.gaps] == [("logs_list", "no"), ("logs_match", "no")]


async def test_equal_input_gives_equal_evidence(tmp_path: Path) -> None:
    files = {f"logs/{name}.log": steady(f"ERROR {name} failed") for name in ("c", "a", "shop-web", "b")}
    assert dumps(await investigate(tmp_path, files)) == dumps(await investigate(tmp_path, files))


async def test_what_a_capture_holds_is_of_the_pod_or_node_that_it_was_read_of(tmp_path: Path) -> None:
    full = Runbook(
        "table", "", "network.conntrack_full", "host", "",
        signatures=(Signature("full", "the table is full", 0.9, text="nf_conntrack: table full"),),
    )  # fmt: skip
    line = "[Sun Mar  1 11:58:00 2026] nf_conntrack: table full, dropping packet\n"
    node = '# run_bash_command {"command": "kubectl debug node/w-7 -it --image=busybox -- chroot /host dmesg"}\n'
    other = '# fetch_pod_logs {"pod_name": "ingress-6d-x"}\n'
    own = '# fetch_pod_logs {"pod_name": "shop-web-6d-x"}\n'
    for at, (head, about) in enumerate(
        ((node, "host:w-7"), (other, "pod:ingress-6d-x"), (own, "container:shop-web"), ("", "container:shop-web"))
    ):
        found = await investigate(tmp_path / str(at), {"artifacts/out.txt": head + line}, (full,))
        assert [each.entity for each in found.findings if each.signature] == [about]


async def test_a_program_that_says_where_it_listens_only_informs(tmp_path: Path) -> None:
    lines = "2026-03-01T11:58:00Z Server listening at http://0.0.0.0:3000\n2026-03-01T11:58:00Z job started at 12:30\n"
    found = await investigate(tmp_path, {"logs/web.log": lines}, (SLOTS,))
    told = [each for each in found.findings if each.kind == "log.listens"]
    assert [(each.captures["port"], each.weight) for each in told] == [("3000", 0.0)]
