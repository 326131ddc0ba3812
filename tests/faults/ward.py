"""One test's queue, workers and database, and the means to hurt them."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from app.replay import incident_of
from bundle.bundle import open_bundle
from store import incidents
from store.database import Database
from store.embedded import EmbeddedServer
from store.jobs import enqueue
from store.lock import wait_until

BUNDLE = Path("incidents/cart-saves-fail")
QUICK = {"heartbeat_seconds": 1.0, "lease_seconds": 4.0, "poll_seconds": 1.0}


@dataclass
class Ward:
    """One test's queue, workers and database."""

    data: Path
    folder: Path
    nursery: "subprocess.Popen[str]"
    workers: list[int] = field(default_factory=list)

    @property
    def dsn(self) -> str:
        """Of the database, wherever it is now."""
        with EmbeddedServer.enter(self.data, named=True) as server:
            return server.dsn

    def bring(self, count: int) -> list[str]:
        """So many incidents into the queue."""
        ids = [f"ward-{n:02}" for n in range(count)]
        asyncio.run(self._bring(ids))
        return ids

    def bring_more(self, incident: str) -> None:
        """One more incident into the queue."""
        asyncio.run(self._bring([incident]))

    async def _bring(self, ids: Sequence[str]) -> None:
        incident, database = incident_of(open_bundle(BUNDLE)), await Database.open(self.dsn)
        async with database.connection() as connection:
            for each in ids:
                async with connection.transaction():
                    await incidents.save(connection, replace(incident, id=each))
                    assert await enqueue(connection, each)
        await database.close()

    def worker(
        self,
        *,
        concurrency: int = 1,
        n: int | str | None = None,
        by: signal.Signals = signal.SIGKILL,
        delay: float = 0.0,
        **settings: Any,
    ) -> int:
        """Start a worker, and give its pid. At its n-th notice (or at a certain one) it is sent a signal."""
        asked = {
            "settings": {"data": str(self.data), "evidence": str(BUNDLE.absolute()), **QUICK, **settings},
            "concurrency": concurrency, "trace": str(self.folder / "trace"), "log": str(self.folder / "log"),
            "at": None if n is None else {"n": n, "signal": int(by), "delay": delay},
        }  # fmt: skip
        assert self.nursery.stdin is not None
        assert self.nursery.stdout is not None
        self.nursery.stdin.write(f"{json.dumps(asked)}\n")
        self.nursery.stdin.flush()
        pid = int(self.nursery.stdout.readline())
        self.workers.append(pid)
        return pid

    def lose_worker(self, n: int | str, **settings: Any) -> None:
        """Start a worker that is killed at its n-th notice, and wait for that."""
        pid = self.worker(n=n, **settings)
        self.until(lambda: not alive(pid))

    def ask(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Rows of the database."""
        with psycopg.connect(self.dsn, autocommit=True, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), values or None).fetchall()

    def reports(self) -> list[dict[str, Any]]:
        """All reports, by incident and version."""
        return self.ask("select incident_id, version, report from report order by incident_id, version")

    def reports_of(self) -> list[str]:
        """`incident version` of all reports."""
        return [f"{each['incident_id']} {each['version']}" for each in self.reports()]

    def ends(self) -> list[dict[str, Any]]:
        """How all investigations ended, and what their incidents cost."""
        return self.ask(
            "select investigation.status, fencing_token, crashes"
            " from investigation join incident on incident.id = incident_id order by started_at"
        )

    def command(self, *words: str) -> str:
        """What a fishbone command prints."""
        environment = os.environ | {"FISHBONE_DATA": str(self.data), "COLUMNS": "200"}
        command = [str(Path(sys.executable).with_name("fishbone")), *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout

    def trace(self) -> list[str]:
        """What workers noticed: `pid what whom`."""
        path = self.folder / "trace"
        return path.read_text().splitlines() if path.exists() else []

    def log(self) -> str:
        """What workers logged."""
        return (self.folder / "log").read_text()

    def until(self, true: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait, but not for ever."""
        assert wait_until(true, seconds), f"not within {seconds} s; the workers said:\n{self.log()[-6000:]}"

    def until_settled(self, seconds: float = 90.0) -> None:
        """Wait until the queue is empty."""
        left = "select 1 from procrastinate_jobs where status in ('todo', 'doing')"
        self.until(lambda: _pause(0.2) or not self.ask(left), seconds)

    def stop(self) -> None:
        """End all workers, kindly and then not."""
        for pid in self.workers:
            _kill(pid, signal.SIGCONT)
            _kill(pid, signal.SIGTERM)
        if not wait_until(lambda: not any(map(alive, self.workers)), 20):
            for pid in self.workers:
                _kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    """Whether the process is there; the nursery reaps those that have ended."""
    return Path("/proc", str(pid)).exists()


def _pause(seconds: float) -> None:
    time.sleep(seconds)


def _kill(pid: int, how: signal.Signals) -> None:
    if alive(pid):
        os.kill(pid, how)


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """A report without clocks and ids, and without what hangs on the incident's own key: placeholders of secrets, and
    hashes of results that hold some. How many citations were checked stays."""
    report = json.loads(re.sub(r"\[redacted:(\w+):\w+\]", r"[redacted:\1]", json.dumps(report)))
    incident = {key: value for key, value in report["incident"].items() if key != "id"}
    run = {key: report["run"][key] for key in ("checks", "tool_calls", "models")}
    citations = [{key: cited[key] for key in cited if key != "result_sha256"} for cited in report["citations"]]
    return report | {"incident": incident, "run": run, "citations": citations}
