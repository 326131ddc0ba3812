"""Writes a folder in one move: beside its place first, then renamed, so that nobody sees half of it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from bundle.bundle import ALERT, Bundle
from bundle.manifest import FILE as MANIFEST
from domain.errors import BadBundle


@contextmanager
def written_folder(target: Path, force: bool = False) -> Iterator[Path]:
    """An empty folder to write into; it takes the target's place when the block ends well, else it is removed.

    Raises BadBundle when the target is something already, unless it is an empty folder or `force` is given.
    """
    must_be_free(target, force)
    beside = _beside(target)
    try:
        yield beside
        _take_place(beside, target, force)
    finally:
        rmtree(beside, ignore_errors=True)


def must_be_free(target: Path, force: bool = False) -> None:
    """Raises BadBundle when writing to the target would destroy something that was not given up by `force`."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise BadBundle(f"{target}: is no folder; name another folder to write to")
    if target.is_dir() and any(target.iterdir()) and not force:
        raise BadBundle(f"{target}: is not empty; name another folder, or add --force to replace it")


def write_incident(bundle: Bundle, folder: Path) -> None:
    """Copies incident.yaml and alert.json byte for byte: what makes a folder a bundle."""
    for name in (MANIFEST, ALERT):
        (folder / name).write_bytes(bundle.read_bytes(name))


def _beside(target: Path) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.", suffix=".partly", dir=target.parent))
        beside.chmod(0o755)
    except OSError as exc:
        raise BadBundle(f"{target}: cannot be written: {exc.strerror}; name a folder you may write to") from exc
    return beside


def _take_place(beside: Path, target: Path, force: bool) -> None:
    must_be_free(target, force)
    old = beside.with_name(f"{beside.name}.old")
    try:
        if _has_more(target, beside):
            _replace_entries(beside, target, old)
        else:
            _replace_whole(beside, target, old)
    except OSError as exc:
        raise BadBundle(f"{target}: cannot be written: {exc.strerror}; what was there is kept") from exc
    finally:
        rmtree(old, ignore_errors=True)


def _has_more(target: Path, beside: Path) -> bool:
    """Whether somebody else's files lie in the target: `force` replaces only what has the same name."""
    return target.is_dir() and any(not (beside / entry.name).exists() for entry in target.iterdir())


def _replace_whole(beside: Path, target: Path, old: Path) -> None:
    if target.is_dir():
        target.rename(old)
    try:
        beside.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise


def _replace_entries(beside: Path, target: Path, old: Path) -> None:
    old.mkdir()
    for entry in sorted(beside.iterdir()):
        place = target / entry.name
        if place.is_symlink() or place.exists():
            place.rename(old / entry.name)
        entry.rename(place)
