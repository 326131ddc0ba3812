"""A source of evidence that dies, hangs, talks garbage or answers with 50 MB costs its evidence and nothing else."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from mcp import StdioServerParameters

from app.bootstrap import House
from app.evidence import targets
from domain.alert import Incident
from tests.faults.test_ends import worked
from tests.faults.ward import BUNDLE, Ward
from tools.targets import Target

assert anyio.open_process  # imported when first used: inside a task pytest's rewriting of it can trip CPython 3.11
ROOT = Path(__file__).parents[2]


def with_rogue(how: str) -> Any:
    """The recorded incident, its logs served by a program that misbehaves."""
    program = ["-m", "tests.faults.rogue_logs", str(BUNDLE.absolute()), how]
    rogue = StdioServerParameters(
        command=sys.executable, args=program, cwd=str(ROOT), env={"PYTHONPATH": str(ROOT)}
    )  # fmt: skip

    def given(house: House, incident: Incident) -> Mapping[str, Target]:
        return {**targets(house, incident), "logs": rogue}

    return given


@pytest.mark.timeout(180)
@pytest.mark.parametrize("how", ["die", "hang", "garbage", "much"])
def test_a_source_that_misbehaves_is_a_gap_in_the_one_report(
    ward: Ward, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.servers.OPEN_SECONDS", 60.0)  # a program starts slowly on a busy machine
    ward.bring(1)
    asyncio.run(worked(ward, lambda: bool(ward.reports()), 120, targets=with_rogue(how)))
    (report,) = ward.reports()
    assert ward.ends() == [{"status": "done", "fencing_token": 1, "crashes": 0}]
    failed = ward.ask("select tool, error from tool_call_log where status in ('unavailable', 'timeout')")
    assert failed and all(each["tool"].startswith("logs_") and len(each["error"]) < 1000 for each in failed)
    assert any("logs" in str(gap) for gap in report["report"]["gaps"]), report["report"]["gaps"]
    assert ward.ask("select 1 from tool_call_log where status = 'ok' and tool not like 'logs%%' limit 1")
    left = [child.cmdline() for child in psutil.Process().children(recursive=True)]
    assert not [words for words in left if "tests.faults.rogue_logs" in words], "the program is left running"
