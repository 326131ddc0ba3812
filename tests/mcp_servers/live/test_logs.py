"""Live logs: rotation under writing, growth while being read, archives, large files, the journal."""

import asyncio
import bz2
import gzip
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from domain.results import Lines, TextSources
from mcp_servers.live import log_files
from mcp_servers.live.engine import Engine
from mcp_servers.live.logs import LiveLogs
from mcp_servers.live.watch import Watch
from mcp_servers.logs import logs
from tests.mcp_servers.live.ask import ask

OFF = Engine("off")
JOURNAL_REMOTE = Path("/lib/systemd/systemd-journal-remote")


def live(folder: Path, watch: Watch | None = None, journal: str = "off") -> LiveLogs:
    return LiveLogs((f"{folder}/*.log",), OFF, journal, watch or Watch("vm1", back=timedelta(hours=1)))


def stamp(seconds: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run(*command: str, text: str = "") -> None:
    subprocess.run(command, input=text.encode(), check=True, capture_output=True)


def name_of(path: Path) -> str:
    return str(path).lstrip("/")


async def test_rotated_siblings_and_archives_are_sources_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text(f"{stamp()} now\n")
    (tmp_path / "app.log.1").write_text(f"{stamp(-60)} before\n")
    (tmp_path / "app.log.2.gz").write_bytes(gzip.compress(f"{stamp(-120)} long before\n".encode()))
    (tmp_path / "app.log-20260818.bz2").write_bytes(bz2.compress(f"{stamp(-180)} longer before\n".encode()))
    (tmp_path / "app.log.lock").write_text("no log\n")
    found = await ask(logs(live(tmp_path)), Lines, "logs_search", grep="before|now")
    assert [(line.source.rpartition("/")[2], line.text.partition(" ")[2]) for line in found.lines] == [
        ("app.log", "now"),
        ("app.log-20260818.bz2", "longer before"),
        ("app.log.1", "before"),
        ("app.log.2.gz", "long before"),
    ]


async def test_what_was_last_written_before_the_window_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "new.log").write_text(f"{stamp()} new\n")
    (tmp_path / "new.log.9").write_text("old\n")
    os.utime(tmp_path / "new.log.9", (time.time() - 90_000, time.time() - 90_000))
    found = await ask(logs(live(tmp_path)), TextSources, "logs_list")
    assert [source.name for source in found.sources] == [name_of(tmp_path / "new.log")]


async def test_a_broken_archive_is_a_problem_and_what_came_before_the_break_is_read(tmp_path: Path) -> None:
    whole = gzip.compress("".join(f"{stamp()} line {n} {n * 7919}\n" for n in range(20_000)).encode())
    (tmp_path / "cut.log").write_text(f"{stamp()} fine\n")
    (tmp_path / "cut.log.1.gz").write_bytes(whole[: len(whole) // 2])
    found = await ask(logs(live(tmp_path)), Lines, "logs_search", sources=["cut.log.1.gz"], grep="line 1 ")
    assert len(found.lines) == 1
    assert any("broken archive" in problem for problem in found.searched.problems)


@contextmanager
def writer(path: Path, rate: int) -> Iterator[None]:
    """Writes to the file as fast as asked, opening it anew by name as log writers do after a rotation."""
    stop = threading.Event()
    block = f"{stamp()} INFO request served in 12 ms path=/cart user=42\n".encode() * 2000

    def write() -> None:
        while not stop.is_set():
            with path.open("ab", buffering=0) as file:
                file.write(block)
            stop.wait(len(block) / rate)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def test_a_file_that_grows_at_50_mb_a_second_is_read_as_it_was_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "fast.log"
    path.write_text(f"{stamp()} ERROR first\n" + f"{stamp()} filler\n" * 200_000)
    source = live(tmp_path)
    server = logs(source)
    with writer(path, 50 << 20):
        before = path.stat().st_size
        begun = time.monotonic()
        found = await ask(server, Lines, "logs_search", grep="ERROR first")
        took = time.monotonic() - begun
        listed = await ask(server, TextSources, "logs_list")
        assert path.stat().st_size > before
    assert len(found.lines) == 1 and took < 10
    assert listed.sources[0].lines is not None and listed.sources[0].bytes <= before + (60 << 20)


async def test_a_large_growing_file_is_searched_by_program_and_tailed_without_chasing_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.log"
    line = f"{stamp()} INFO filler of a usual length with some words in it\n"
    path.write_text(line * (40 << 20 >> 6) + f"{stamp()} ERROR needle\n")
    server = logs(live(tmp_path))
    with writer(path, 50 << 20):
        begun = time.monotonic()
        found = await ask(server, Lines, "logs_search", grep="needle")
        tail = await ask(server, Lines, "logs_search", tail_n=1)
        assert time.monotonic() - begun < 15
    assert len(found.lines) == 1 and len(tail.lines) == 1


async def test_of_a_very_large_file_the_end_is_read_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "MOST_BYTES", 10_000)
    (tmp_path / "big.log").write_text("".join(f"{stamp()} line {n}\n" for n in range(1000)))
    found = await ask(logs(live(tmp_path)), Lines, "logs_search", grep="line", tail_n=500)
    assert found.lines[-1].text.endswith("line 999") and found.searched.matched < 400
    assert all(line.text.startswith("20") for line in found.lines)
    assert any("were read" in problem for problem in found.searched.problems)


async def test_a_rotation_under_writing_loses_no_line_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text("".join(f"{stamp()} kept {n}\n" for n in range(5000)))
    source = live(tmp_path)
    server = logs(source)
    assert len(source.names()) == 1  # looked at
    with writer(path, 5 << 20):
        path.rename(tmp_path / "app.log.1")
        with (tmp_path / "app.log.1").open("rb") as plain, gzip.open(tmp_path / "app.log.2.gz", "wb") as packed:
            shutil.copyfileobj(plain, packed)
        (tmp_path / "app.log.1").unlink()
        found = await ask(server, Lines, "logs_search", grep=r"kept \d+$", tail_n=500)
    assert found.searched.matched == 5000
    assert found.lines[-1].text.endswith("kept 4999")


async def test_real_logrotate_under_writing_leaves_every_source_readable(tmp_path: Path) -> None:
    if not shutil.which("logrotate"):
        pytest.skip("logrotate is not installed")
    path = tmp_path / "app.log"
    path.write_text(f"{stamp()} ERROR before the rotation\n")
    config = tmp_path / "rotate.conf"
    config.write_text(f"{path} {{\n  rotate 3\n  compress\n  copytruncate\n}}\n")
    with writer(path, 5 << 20):
        await asyncio.to_thread(run, "logrotate", "-f", "-s", str(tmp_path / "state"), str(config))
        found = await ask(logs(live(tmp_path)), Lines, "logs_search", grep="before the rotation")
    assert [line.source.rpartition("/")[2] for line in found.lines] == ["app.log.1.gz"]
    assert found.searched.problems == ()


async def test_a_server_that_stays_up_sees_new_lines_once_its_last_look_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_servers.live.logs.FRESH_SECONDS", 0.0)
    path = tmp_path / "app.log"
    path.write_text(f"{stamp()} one\n")
    server = logs(live(tmp_path))
    assert (await ask(server, TextSources, "logs_list")).sources[0].lines == 1
    with path.open("a") as file:
        file.write(f"{stamp()} two\n")
    assert (await ask(server, TextSources, "logs_list")).sources[0].lines == 2


async def test_a_glob_without_a_file_and_an_unreadable_journal_are_problems(tmp_path: Path) -> None:
    found = await ask(logs(live(tmp_path, journal="/nonexistent.journal")), TextSources, "logs_list")
    assert any("matches no file" in problem for problem in found.searched.problems)
    assert any("journal" in problem for problem in found.searched.problems)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A real journal file with two units in it."""
    if not JOURNAL_REMOTE.exists():
        pytest.skip("no journal can be made: systemd-journal-remote is not installed")
    now = int(time.time() * 1e6)
    entries = "".join(
        f"__REALTIME_TIMESTAMP={now + n}\n__MONOTONIC_TIMESTAMP={n + 1}\n_BOOT_ID={'a' * 32}\n_HOSTNAME=vm1\n"
        f"PRIORITY={priority}\nSYSLOG_IDENTIFIER={who}\n_SYSTEMD_UNIT={who}.service\n_PID=7\nMESSAGE={said}\n\n"
        for n, (who, priority, said) in enumerate([("nginx", 3, "bind() failed"), ("cron", 6, "job ran")])
    )
    at = tmp_path / "j.journal"
    run(str(JOURNAL_REMOTE), "-o", str(at), "-", text=entries)
    return at


async def test_a_journal_file_gives_one_source_for_each_unit(tmp_path: Path, journal: Path) -> None:
    server = logs(live(tmp_path, journal=str(journal)))
    found = await ask(server, Lines, "logs_search", sources=["journal/nginx.service"])
    (line,) = found.lines
    assert line.text.endswith("vm1 nginx[7]: [error] bind() failed") and line.level == "error" and line.at


async def test_no_file_is_held_open_after_the_session(tmp_path: Path) -> None:
    for n in range(20):
        (tmp_path / f"{n}.log").write_text(f"{stamp()} one\n")
    source = live(tmp_path)
    await ask(logs(source), TextSources, "logs_list")
    assert not [path for path in held_open() if path.startswith(str(tmp_path))]


def held_open() -> list[str]:
    return [str(link.resolve()) for link in Path("/proc/self/fd").iterdir()]
