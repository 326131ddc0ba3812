"""A real rule fires on a real fault, its real webhook arrives, a report comes out, the fault's end closes it."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from store.embedded import EmbeddedServer
from tests.acceptance.stack import Stack, missing
from tests.app.receiver import receiver


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    place = tmp_path / "carts"
    place.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]).returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def stack(disk: Path) -> Iterator[Stack]:
    if absent := missing():
        pytest.skip(f"not installed: {', '.join(absent)} (Debian packages)")
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="fb-", dir=memory) as folder:
        stack = Stack(Path(folder), disk)
        yield stack
        stack.stop()


def fill(disk: Path) -> None:
    with pytest.raises(OSError, match="No space"), (disk / "carts.db").open("wb", buffering=0) as out:
        while True:
            out.write(b"x" * 65536)


def incident_on(stack: Stack, disk: Path) -> tuple[str, str]:
    """Id and status of the incident about the disk."""
    with (
        EmbeddedServer.enter(stack.folder / "d", named=True) as server,
        psycopg.connect(server.dsn, autocommit=True) as connection,
    ):
        row = connection.execute(
            "select incident.id, case when closed_at is null then 'going on' else 'closed' end"
            " from incident join incident_alert on incident_id = incident.id"
            " where alert::text like %s order by created_at limit 1",
            (f"%{disk}%",),
        ).fetchone()
    return (str(row[0]), str(row[1])) if row else ("", "")


@pytest.mark.timeout(150)
def test_a_full_disk_becomes_an_alert_a_report_and_a_closed_incident(stack: Stack, disk: Path) -> None:
    with receiver() as people:
        stack.start_fishbone({
            "notify": {"ops": {"webhook": people.url()}, "files": {"folder": str(stack.folder / "reports")}},
            "notify_allow": f"127.0.0.1:{people.port}", "public_url": f"http://127.0.0.1:{stack.web}",
            "log_globs": f"{disk.parent}/*.log",
        })  # fmt: skip
        stack.start_monitoring()
        stack.until_ready()
        at_the_disk = f'mountpoint="{disk}"'
        stack.until(lambda: stack.samples(f"node_filesystem_avail_bytes{{{at_the_disk}}} > 0"), 40, "a first sample")
        fill(disk)
        stack.until(lambda: incident_on(stack, disk)[0], 40, "the webhook")
        arrived = time.monotonic()
        incident, _ = incident_on(stack, disk)
        stack.until(lambda: incident in told(people.jsons(), "investigating"), 10, "the first word")
        stack.until(lambda: stack.get(f"/incidents/{incident}/report.json"), 40, "the report")
        took = time.monotonic() - arrived
        report = stack.get(f"/incidents/{incident}/report.json")
        stack.until(lambda: incident in told(people.jsons(), "report"), 10, "the report's notification")
        stack.until(lambda: stack.samples('fishbone_investigations_total{status="done"} > 0'), 30, "our own metrics")
        (disk / "carts.db").unlink()
        stack.until(lambda: incident_on(stack, disk)[1] == "closed", 40, "the resolved webhook")
    assert report["root_cause"]["fault"] == "disk.full", report["hypotheses"][:3]
    assert str(disk) in report["root_cause"]["entity"] + report["root_cause"]["summary"]
    assert {each["account"] for each in report["alerts"]} <= {"explained", "consistent"}
    assert took < 40
    assert "disk.full" in (stack.folder / "reports" / incident / "report-v1.md").read_text()
    assert f'"trace": "{report["run"]["investigation"]}"' in (stack.folder / "fishbone.log").read_text()


def told(bodies: list[dict[str, object]], event: str) -> list[object]:
    """The incidents that people heard of."""
    return [body["incident"]["id"] for body in bodies if body["event"] == event]  # type: ignore[index]
