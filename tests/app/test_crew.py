"""Processes beside the web process, and the commands."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2

from app.crew import crew
from store.lock import wait_until

FISHBONE = (sys.executable, "-c", "from app.cli import main; main()")
_WORKER = "import os,sys,time; open(sys.argv[1],'a').write(f'{os.getpid()}\\n'); time.sleep(float(sys.argv[2]))"


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_worker_that_is_lost_is_started_again_and_all_end_with_the_crew(tmp_path: Path):
    told = tmp_path / "pids"
    async with crew(2, 1.0, (sys.executable, "-c", _WORKER, str(told), "60")):
        assert await asyncio.to_thread(wait_until, lambda: told.exists() and len(told.read_text().split()) == 2, 20)
        os.kill(int(told.read_text().split()[0]), signal.SIGKILL)
        assert await asyncio.to_thread(wait_until, lambda: len(told.read_text().split()) == 3, 20)

    assert not any(lives(int(pid)) for pid in told.read_text().split())


def test_a_worker_does_not_outlive_a_web_process_that_was_killed(tmp_path: Path):
    told = tmp_path / "pid"
    worker = f"from app.crew import end_with_parent; end_with_parent(); {_WORKER}"
    command = [sys.executable, "-c", worker, str(told), "60"]
    parent = subprocess.Popen([sys.executable, "-c", f"import subprocess; subprocess.run({command!r})"])
    assert wait_until(lambda: told.exists() and told.read_text().endswith("\n"), 20)
    parent.kill()
    parent.wait()

    # Whoever adopts it may not collect it: a zombie is over, too.
    state = Path(f"/proc/{int(told.read_text())}/stat")
    assert wait_until(lambda: not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z", 10)


def test_serve_is_refused_where_others_can_reach_it(tmp_path: Path):
    environment = os.environ | {"FISHBONE_DATA": str(tmp_path)}
    environment.pop("FISHBONE_TOKEN", None)
    done = subprocess.run([*FISHBONE, "serve", "--host", "0.0.0.0"], env=environment, capture_output=True, text=True)

    assert done.returncode == 2
    assert "FISHBONE_TOKEN" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_serve_takes_an_alert_its_worker_reports_and_sigterm_ends_both(tmp_path: Path):
    environment = os.environ | {
        "FISHBONE_DATA": str(tmp_path), "FISHBONE_EVIDENCE": "incidents/cart-saves-fail", "FISHBONE_POLL_SECONDS": "1",
    }  # fmt: skip
    command = [*FISHBONE, "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = next(line for line in server.stderr if "serves http://" in line).split()[2].rstrip(",")
            answer = httpx2.post(
                address.replace("/incidents", "/webhooks/generic"),
                json={"name": "Slow", "host": "cart-api"},
                timeout=30,
            )
            (name,) = answer.json()["incident_ids"]
            report = f"{address}/{name}/report.md"
            assert wait_until(lambda: httpx2.get(report, timeout=30).status_code == 200, 90)
            began = time.monotonic()
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) == 0
            assert time.monotonic() - began < 25
        finally:
            server.kill()


def test_silences_are_added_listed_and_removed(tmp_path: Path):
    environment = os.environ | {"FISHBONE_DATA": str(tmp_path), "COLUMNS": "200"}

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*FISHBONE, "silences", *words], env=environment, capture_output=True, text=True)

    assert "silence 1 holds until" in run("add", 'alertname=~"Disk.*"', "severity!=critical", "--for", "30m").stdout
    listed = run().stdout
    assert 'alertname=~"Disk.*"' in listed
    assert "active" in listed
    assert run("remove", "1").returncode == 0
    assert "over" in run("list").stdout
    for wrong in (("remove", "1"), ("add", "a=~("), ("add", "a=b", "--for", "long")):
        failed = run(*wrong)
        assert (failed.returncode, len(failed.stderr.splitlines())) == (2, 1), failed.stderr
