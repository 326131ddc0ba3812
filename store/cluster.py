"""One Postgres cluster in its folder: made, started, found and stopped through the operating system alone."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.errors import BadConfiguration, StoreUnavailable
from store.binaries import Binaries
from store.place import Place

USER: Final = "fishbone"
PORT: Final = 5432  # only part of the socket's name: nothing listens on TCP
_SOCKET: Final = f".s.PGSQL.{PORT}"
_PREFIX: Final = f"{USER}-"
_SHORT: Final = ("/tmp", "/var/tmp", "/dev/shm")  # where a socket's path stays under 107 bytes
_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/local/bin:/usr/bin:/bin"}
# Postgres enters its folder by this link, so neither its length, nor blanks, nor private folders above matter
_HERE: Final = "/proc/self/cwd"
_SETTINGS: Final = (
    f"port={PORT}", "listen_addresses=", "unix_socket_permissions=0700", "max_connections=60", "timezone=UTC",
    "shared_buffers=32MB", "huge_pages=off", "io_method=sync", "jit=off", "max_parallel_workers_per_gather=0",
    "max_worker_processes=2", "max_logical_replication_workers=0", "autovacuum_max_workers=1",
    "wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=128MB",
    "random_page_cost=1.1", "recovery_init_sync_method=syncfs", "log_timezone=UTC", "log_checkpoints=off",
)  # fmt: skip
_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)  # answered by one byte before anything else is asked
_LOG_LIMIT: Final = 1_000_000  # bytes; a longer log is begun anew at a start


@dataclass(frozen=True)
class Postmaster:
    """What the server last wrote about itself. True only while the server is known to live."""

    pid: int
    status: str  # starting | ready | stopping


def read_postmaster(place: Place) -> Postmaster | None:
    """The content of postmaster.pid, None where it is missing or not written to the end."""
    try:
        lines = (place.cluster / "postmaster.pid").read_text(errors="replace").split("\n")
        return Postmaster(int(lines[0]), lines[7].strip())
    except (FileNotFoundError, ValueError, IndexError):
        return None


def socket_folder(place: Place) -> Path | None:
    """The folder of the socket; it keeps its name, so that a server started again has the address of before."""
    try:
        name, _, home = place.socket_record.read_text(errors="replace").partition("\n")
    except FileNotFoundError:
        return None
    folder = Path(name)
    # the copy of a data folder gets an address of its own; and in another user's folder root believes no other path
    is_ours = home == _home(place) and str(folder.parent) in _SHORT and folder.name.startswith(_PREFIX)
    return folder if is_ours else None


def _home(place: Place) -> str:
    return str(place.folder.stat().st_ino)


def answers(folder: Path) -> bool:
    """Whether a server answers on the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(5)
        try:
            client.connect(str(folder / _SOCKET))
            # the kernel still connects to a server that was just killed, so ask for a byte
            client.sendall(_SSL_REQUEST)
            return client.recv(1) != b""
        except OSError:
            return False


def has_socket(folder: Path) -> bool:
    """Whether the socket is there. A living server has lost it when somebody tidied up /tmp."""
    return (folder / _SOCKET).exists()


def create(place: Place, binaries: Binaries, lock: int) -> None:
    """Make the cluster beside and rename it, so that a killed attempt leaves nothing that looks whole.

    The programs inherit the start lock: whoever comes after our death waits for them to end.
    """
    beside = place.folder / "cluster.new"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    place.give(beside)
    command = [
        binaries.program("initdb"), "-D", _HERE, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
        "--no-sync", "--no-instructions", "--wal-segsize=4",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=beside, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", pass_fds=(lock,), start_new_session=True, check=False, **place.run_as(),
    )  # fmt: skip
    if done.returncode != 0:
        raise BadConfiguration(f"cannot make a database under {place.folder}: {_last_line(done.stderr)}")
    beside.rename(place.cluster)


def check_version(place: Place, binaries: Binaries) -> None:
    """Refuse a cluster that another major version made."""
    made_by = (place.cluster / "PG_VERSION").read_text().strip()
    if made_by != binaries.major:
        raise BadConfiguration(
            f"{place.cluster} was made by Postgres {made_by}, and this fishbone brings {binaries.major}: "
            "name another folder in FISHBONE_DATA, or move the old one away"
        )


def launch(place: Place, binaries: Binaries, alive: int) -> None:
    """Start the server as nobody's child.

    It and all its processes inherit the `alive` lock, and so hold it while one of them lives.
    """
    folder = _make_socket_folder(place)
    # only a holder of `alive` gets here, so what these files say is of the past, whoever has that pid now
    for name in (place.cluster / "postmaster.pid", *folder.iterdir()):
        name.unlink(missing_ok=True)
    command = [binaries.program("postgres"), "-D", _HERE, "-c", f"unix_socket_directories={folder}"]
    for setting in _SETTINGS:
        command += ["-c", setting]
    log = _open_log(place)
    try:
        subprocess.run(
            ["/bin/sh", "-c", '"$0" "$@" &', *command], cwd=place.cluster, env=_ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, pass_fds=(alive,), start_new_session=True, check=True, **place.run_as(),
        )  # fmt: skip
    finally:
        os.close(log)


def shut_down(place: Place, postmaster: Postmaster, how: signal.Signals) -> None:
    """Ask a living server to end: SIGINT cuts its clients off and checkpoints, SIGQUIT just ends."""
    process = Path("/proc", str(postmaster.pid))
    try:
        # killed, with children that linger, its pid may be another's by now
        if process.stat().st_uid == place.uid and (process / "comm").read_text() == "postgres\n":
            os.kill(postmaster.pid, how)
    except (FileNotFoundError, ProcessLookupError):
        return


def remove_socket(place: Place) -> None:
    """Remove the socket's folder after the server's end."""
    folder = socket_folder(place)
    if folder is not None and _is_private(folder, place):
        shutil.rmtree(folder, ignore_errors=True)


def why_not(place: Place) -> StoreUnavailable:
    """The error of a start that failed, with the server's own words."""
    said = place.log.read_text(errors="replace") if place.log.exists() else ""
    return StoreUnavailable(f"the embedded database does not start: {_last_line(said)} (all of it: {place.log})")


def _make_socket_folder(place: Place) -> Path:
    """A short folder that only the owner and root can enter."""
    if (before := socket_folder(place)) is not None:
        with contextlib.suppress(FileExistsError):
            before.mkdir(mode=0o700)
            place.give(before)
        if _is_private(before, place):
            return before
    for parent in _SHORT:
        if os.access(parent, os.W_OK | os.X_OK):
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            place.give(folder)
            place.socket_record.write_text(f"{folder}\n{_home(place)}")
            return folder
    raise BadConfiguration(f"the embedded database needs a short path for its socket: make one of {_SHORT} writable")


def _is_private(folder: Path, place: Place) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == place.uid and stat.S_IMODE(status.st_mode) == 0o700


def _open_log(place: Place) -> int:
    """Open the log to write on; in a folder of another user's, root follows no link."""
    if place.log.exists() and place.log.stat().st_size > _LOG_LIMIT:
        place.log.unlink()
    log = os.open(place.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if place.owner is not None:
        os.fchown(log, place.owner.uid, place.owner.gid)
    return log


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "PANIC" in line or "error:" in line]
    return (telling or lines or ["it said nothing"])[-1]
