"""A log that grows at 50 MB a second, is rotated and cut off while it is read: its report comes, in bounded memory."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mcp_servers.live.log_files import MOST_BYTES
from store.lock import wait_until
from tests.app.serving import entry, post
from tests.faults.ward import Ward
from tests.faults.web import answer, web_of

MIB = 1 << 20
MOST_MEMORY = 1200 * MIB  # of a worker; what was written meanwhile is far more
WRITER = """
import os, sys, time
from datetime import UTC, datetime
path, began, written, turn = sys.argv[1], time.monotonic(), 0, 0
out = open(path, "ab", buffering=0)
while True:
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    lines = [f"{stamp} INFO cart: request {n} for /api/cart/{n * 7919 % 9973} took {n % 97} ms" for n in range(9000)]
    block = "\\n".join([f"{stamp} ERROR cart: write /data/carts.db: No space left on device", *lines, ""]).encode()
    out.write(block)
    written += len(block)
    if out.tell() > 150 << 20:  # in turns: renamed as logrotate does, and cut off as copytruncate does
        turn += 1
        if turn % 2:
            os.replace(path, path + ".1")
            out = open(path, "ab", buffering=0)
        else:
            os.truncate(path, 0)
    time.sleep(max(0.0, written / (50 << 20) - (time.monotonic() - began)))
"""


@contextmanager
def growing(log: Path) -> Iterator[None]:
    """A log that is written meanwhile; there is more in it than is read of one file."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(log)])
    try:
        assert wait_until(lambda: log.exists() and log.stat().st_size > MOST_BYTES * 3 // 2, 60)
        yield
    finally:
        writer.kill()
        writer.wait()


@pytest.mark.timeout(300)
def test_a_log_that_grows_rotates_and_is_cut_off_under_an_investigation_is_read_in_bounds(
    ward: Ward, tmp_path: Path
) -> None:
    log = tmp_path / "cart.log"
    began = datetime.now(UTC) - timedelta(minutes=1)
    labels = {"alertname": "CartWriteErrors", "service": "cart"}
    with web_of(ward) as web:
        assert answer(web, post(entry(startsAt=began.isoformat(), labels=labels))) == 202
    # the window ends when the alert came in: what is written from now on belongs to it
    ward.ask("update incident set window_end = now() + interval '5 minutes' returning id")
    with growing(log):
        worker = ward.worker(evidence=None, log_globs=str(log), journal="off", docker_host="off", lease_seconds=20.0)
        ward.until_settled(240)
        assert _peak(worker) < MOST_MEMORY
    (report,) = ward.reports()
    assert ward.ends() == [{"status": "done", "fencing_token": 1, "crashes": 0}]
    assert "No space left on device" in str(report["report"])
    assert "were read and lines are counted there" in str(report["report"]), "that only its end was read is told"


def _peak(pid: int) -> int:
    """The most memory that the process has used, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
