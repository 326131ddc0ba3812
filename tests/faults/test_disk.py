"""The disk under the data folder is full: senders get 503 and workers wait, and once there is room all goes on."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.lock import wait_until
from tests.app.serving import entry, post
from tests.faults.conftest import indexed
from tests.faults.ward import Ward
from tests.faults.web import answer, web_of

POSTS, ALERTS, NOTES = 24, 8, 20
MORE = "and more of it " * 100


@pytest.fixture
def small(tmp_path: Path, nursery: "subprocess.Popen[str]") -> Iterator[Ward]:
    """A ward whose data folder is a small file system of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(disk)]).returncode:
        pytest.skip("a small file system can be mounted by root only")
    try:
        with indexed(disk / "data") as data:
            ward = Ward(data, tmp_path, nursery)
            yield ward
            ward.stop()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.timeout(600)
def test_on_a_full_disk_alerts_are_refused_and_runs_wait_and_nothing_is_lost(small: Ward, undisturbed: Any) -> None:
    small.bring(2)
    worker = small.worker(n="agent_done infra", by=signal.SIGSTOP, lease_seconds=60.0, patience_seconds=200.0)
    small.until(lambda: any("agent_done infra" in line for line in small.trace()))
    with web_of(small) as web:
        assert answer(web, _body(0)) == 202
        ballast = _filled(small.data.parent)
        refused = [n for n in range(1, POSTS) if (status := answer(web, _body(n))) != 202 and _is_503(status)]
        assert refused, "the disk was not full"
        os.kill(worker, signal.SIGCONT)
        small.until(lambda: "trying again" in small.log())
        ballast.unlink()
        for n in refused:
            assert wait_until(lambda n=n: answer(web, _body(n)) == 202, 60), f"{n} is not taken"
    small.until_settled(150)
    taken = small.ask("select count(*) as n, count(distinct fingerprint) as different from alert")
    assert taken == [{"n": POSTS * ALERTS, "different": POSTS * ALERTS}]
    assert {row["account"] for row in small.ask("select distinct account from alert")} == {"new", "joined"}
    assert small.reports_of()[-2:] == ["ward-00 1", "ward-01 1"]
    # an agent that had to wait may have run out of its time, and says so
    assert small.reports()[-2]["report"]["root_cause"]["fault"] == undisturbed["root_cause"]["fault"]
    assert small.ask("select distinct crashes from incident") == [{"crashes": 0}]
    unreported = "select 1 from incident where not exists (select from report where incident_id = incident.id)"
    assert small.ask(unreported) == []


def _filled(disk: Path) -> Path:
    """A file that takes all the room there is."""
    ballast = disk / "ballast"
    with pytest.raises(OSError, match="No space"), ballast.open("wb", buffering=0) as out:
        while True:
            out.write(b"x" * 4096)
    return ballast


def _body(n: int) -> dict[str, Any]:
    """A large post, all of it new."""
    return post(
        *(entry(f"Alert{n}x{one}", annotations={f"note{k}": MORE for k in range(NOTES)}) for one in range(ALERTS))
    )


def _is_503(status: int) -> bool:
    assert status == 503
    return True
