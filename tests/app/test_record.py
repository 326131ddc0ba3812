"""Recordings of this machine and of finished investigations: what they keep, what they hide, what they replay to."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.bootstrap import open_house
from app.cli.record import span
from app.evidence import targets
from app.flight import record_incident
from app.investigation import Order, investigate
from app.keep import keep
from app.record import Asked, log_name, record
from app.replay import incident_of, replay
from app.scope import Scope
from app.scrub import HOST, USER, Scrub
from app.settings import Settings, load_settings
from bundle.bundle import open_bundle
from domain.alert import Window
from domain.errors import BadBundle, BadConfiguration
from domain.facts import Fact
from tools.servers import Servers

ORDERS = Path("incidents/order-creation-fails")
# A real program that fills a real disk, and says so in its log as such programs do.
FILLER = """
import logging, sys, time
logging.Formatter.converter = time.gmtime
logging.basicConfig(filename=sys.argv[2], format="%(asctime)sZ %(levelname)s cart-store %(message)s", level="INFO")
logging.info("password=hunter2hunter2 was given for store user of box-seven")
with open(sys.argv[1] + "/carts.db", "ab", buffering=0) as out:
    for number in range(30):
        try:
            out.write(b"x" * 65536)
            logging.info("cart %d saved", number)
        except OSError as exc:
            logging.error("cannot save cart %d: %s: %r", number, exc, sys.argv[1] + "/carts.db")
"""


def test_names_are_scrubbed_where_they_stand_as_words_and_nowhere_else() -> None:
    scrub = Scrub({"box-seven": HOST, "alice": USER})
    text = "Mar  4 10:00:00 Box-Seven sshd: alice@box-seven.lan /home/alice alices malice"
    assert scrub.text(text) == (
        f"Mar  4 10:00:00 {HOST} sshd: {USER}@{HOST}.lan /home/{USER} alices malice"
    )  # fmt: skip
    assert scrub.json({"alice": ["box-seven", 7]}) == {USER: [HOST, 7]}


def process(pid: int, name: str, rss: int, **more: object) -> Fact:
    return Fact("process", f"process:{name}", {"pid": pid, "rss": rss, "cpu_percent": 0.0, "command": name, **more})


def test_of_processes_those_in_question_the_heaviest_and_the_stuck_are_kept_and_the_rest_is_counted() -> None:
    facts = [process(n, f"other{n}", n << 20) for n in range(100, 130)]
    facts += [process(1, "nginx", 1), process(2, "stuck", 2, state="D"), Fact("memory", "host:h", {"total": 1})]
    kept = Scope(("nginx",)).kept(facts)
    names = [fact.entity for fact in kept if fact.kind == "process"]
    assert names == [*(f"process:other{n}" for n in range(125, 130)), "process:nginx", "process:stuck"]
    [total] = [fact for fact in kept if fact.kind == "reading"]
    assert total.attributes["value"] == 32
    assert "25 of them are left out" in str(total.attributes["text"])
    assert Fact("memory", "host:h", {"total": 1}) in kept


def test_who_listens_is_kept_for_the_processes_that_are_kept() -> None:
    processes = [process(1, "nginx", 9 << 20), *(process(n, f"other{n}", 1) for n in range(100, 130))]
    sockets = [
        Fact("socket", "process:x", {"pid": pid, "state": "LISTEN", "local": f"10.0.0.1:{pid}"}) for pid in (1, 129)
    ]
    kept = Scope().kept(sockets, processes)
    assert [fact.attributes["pid"] for fact in kept if fact.kind == "socket"] == [1]


def test_of_mounts_the_root_the_full_and_the_named_are_kept() -> None:
    def mount(at: str, use: float) -> Fact:
        return Fact("filesystem", f"disk:{at}", {"mount": at, "use_percent": use})

    kept = Scope(("/srv",)).kept([mount("/", 10.0), mount("/full", 91.0), mount("/srv", 5.0), mount("/home/x", 20.0)])
    assert [fact.entity for fact in kept if fact.kind == "filesystem"] == ["disk:/", "disk:/full", "disk:/srv"]


@pytest.mark.parametrize(
    ("live", "recorded"),
    [
        ("var/log/syslog.2.gz", "logs/var/log/syslog.2"),
        ("container/web", "logs/container/web.log"),
        ("journal/ssh@1 0.service", "logs/journal/ssh@1_0.service"),
        ("../../etc/passwd", "logs/etc/passwd.log"),
    ],
)
def test_a_text_source_becomes_a_safe_path_in_the_bundle(live: str, recorded: str) -> None:
    assert log_name(live) == recorded


def test_a_span_of_time_is_read_and_a_mistake_is_named() -> None:
    assert span("90m") == timedelta(minutes=90)
    with pytest.raises(BadConfiguration, match="--since soon: write a time such as"):
        span("soon")


async def test_a_finished_investigation_replays_from_its_recording_to_the_same_cause(dsn: str, tmp_path: Path) -> None:
    scrub = Scrub({"db-3": HOST})
    async with open_house(load_settings(database_url=dsn)) as house:
        with open_bundle(ORDERS) as bundle:
            outcome = await replay(house, bundle)
        await keep(house, outcome)
        await record_incident(house.database, outcome.report.incident.id, scrub, tmp_path / "rec", force=False)
        with open_bundle(tmp_path / "rec") as recorded:
            again = await replay(house, recorded)
        with pytest.raises(BadConfiguration, match="no such incident with a report"):
            await record_incident(house.database, "nothing", scrub, tmp_path / "no", force=False)
    assert again.unanswered == ()
    assert cause(again.document) == cause(outcome.document)
    assert again.document["verdict"] == "root_cause"
    written = b"".join(path.read_bytes() for path in sorted((tmp_path / "rec").rglob("*")) if path.is_file())
    assert b"db-3" not in written
    assert HOST.encode() in written
    report = json.loads((tmp_path / "rec/report.json").read_text())
    shas = {citation["result_sha256"] for citation in report["citations"]}
    assert shas <= {path.name for path in (tmp_path / "rec/results").iterdir()}


def cause(document: dict[str, object]) -> tuple[object, object]:
    found = document["root_cause"]
    assert isinstance(found, dict)
    return found["entity"], found["fault"]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system that a program has filled, and that program's log."""
    disk = tmp_path / "carts"
    disk.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]).returncode:
        pytest.skip("a small file system can be mounted by root only")
    try:
        subprocess.run([sys.executable, "-c", FILLER, str(disk), str(tmp_path / "cart-store.log")], check=True)
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def quiet(tmp_path: Path, **more: object) -> Settings:
    """This machine with one log, and no engine."""
    return load_settings(
        log_globs=str(tmp_path / "*.log"), docker_host="off", journal="off", host_name="box-seven", **more
    )  # fmt: skip


async def test_a_recording_of_this_machine_replays_to_the_cause_that_a_live_look_finds(
    dsn: str, full_disk: Path, tmp_path: Path
) -> None:
    settings = quiet(tmp_path, database_url=dsn)
    alert = {"version": "4", "status": "firing", "receiver": "x", "alerts": [{
        "status": "firing", "startsAt": datetime.now(UTC).isoformat(), "fingerprint": "f1",
        "labels": {"alertname": "CartSavesFail", "service": "cart-store", "severity": "critical"},
        "annotations": {"summary": "Saving carts fails"}}]}  # fmt: skip
    asked = Asked("Saving carts fails", timedelta(minutes=10), (str(full_disk),), json.dumps(alert).encode())
    record(settings, asked, tmp_path / "rec")
    async with open_house(settings) as house:
        with open_bundle(tmp_path / "rec") as bundle:
            incident, replayed = incident_of(bundle), await replay(house, bundle)
        now = datetime.now(UTC)
        incident = replace(incident, window=Window(now - timedelta(minutes=10), now))
        servers = Servers(targets(house, incident))
        try:
            live = await investigate(house, Order(incident), servers)
        finally:
            await servers.close()
    assert cause(replayed.document) == cause(live.document)
    assert cause(replayed.document)[1] == "disk.full"


def test_a_recording_holds_neither_secrets_nor_names(full_disk: Path, tmp_path: Path) -> None:
    record(quiet(tmp_path), Asked(back=timedelta(minutes=10), scrub=("cart-store",)), tmp_path / "rec")
    text = b"".join(path.read_bytes() for path in sorted((tmp_path / "rec").rglob("*")) if path.is_file()).decode()
    assert "hunter2" not in text
    assert "[redacted:password:" in text
    for name in ("box-seven", "cart-store"):
        assert name not in text
    machine = Path("/etc/machine-id")
    assert not machine.exists() or machine.read_text().strip() not in text
    with open_bundle(tmp_path / "rec") as bundle:
        assert bundle.gaps == ()


def test_a_bundle_that_is_there_is_not_overwritten_and_a_broken_alert_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").touch()
    with pytest.raises(BadBundle, match="is not empty"):
        record(quiet(tmp_path), Asked(), tmp_path / "there")
    with pytest.raises(BadBundle, match="the alert cannot be read"):
        record(quiet(tmp_path), Asked(alert=b"{"), tmp_path / "new")
    assert not (tmp_path / "new").exists()
