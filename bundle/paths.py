"""Which files a bundle has, and how one is opened so that nothing outside the bundle is ever reached."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bundle.limits import Limits
from domain.errors import BadBundle
from domain.evidence import Gap

_KINDS = (
    (stat.S_ISLNK, "is a symbolic link, which is never followed"),
    (stat.S_ISFIFO, "is a pipe, which is never opened"),
    (stat.S_ISSOCK, "is a socket, which is never opened"),
    (stat.S_ISBLK, "is a device, which is never opened"),
    (stat.S_ISCHR, "is a device, which is never opened"),
)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Listing:
    """The regular files below a folder, and what else lay there."""

    files: dict[str, int]  # relative posix path -> size on disk, sorted
    gaps: tuple[Gap, ...]


def safe_parts(name: str) -> tuple[str, ...]:
    """The steps of a path that stays inside. Raises BadBundle for one that does not."""
    parts = tuple(name.split("/"))
    if not name or name.startswith("/") or "\\" in name or not name.isprintable():
        raise BadBundle(f"{name!r}: no path inside a bundle; write it relative to the bundle's root")
    if any(part in ("", ".", "..") for part in parts):
        raise BadBundle(f"{name!r}: leaves the bundle or is not plain; write it relative to the bundle's root")
    return parts


def open_inside(root: Path, name: str) -> int:
    """A descriptor of a regular file inside the root; no step of the path may be a link. Raises BadBundle."""
    parts = safe_parts(name)
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = os.open(part, _READ | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = below
        _must_be_regular(name, os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))
        found = os.open(parts[-1], _READ, dir_fd=folder)
    except OSError as exc:
        raise BadBundle(f"{name}: cannot be opened: {exc.strerror}") from exc
    finally:
        os.close(folder)
    return found


def listing(root: Path, limits: Limits) -> Listing:
    """Every regular file below the root in the order of its path. Links and special files become gaps."""
    files: dict[str, int] = {}
    gaps: list[Gap] = []
    for name, entry in _walk(root, limits, gaps):
        if len(files) == limits.max_files:
            gaps.append(Gap(".", f"has more than {limits.max_files} files; the others are not read"))
            break
        files[name] = entry.stat(follow_symlinks=False).st_size
    return Listing(dict(sorted(files.items())), tuple(sorted(gaps, key=lambda gap: gap.what)))


def _walk(root: Path, limits: Limits, gaps: list[Gap]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as exc:
            gaps.append(Gap(folder or ".", f"cannot be listed: {exc.strerror}"))
            continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            if why := _refusal(name, entry, limits):
                gaps.append(Gap(name if name.isprintable() else repr(name), why))
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
            else:
                yield name, entry


def _refusal(name: str, entry: os.DirEntry[str], limits: Limits) -> str:
    if not name.isprintable() or "\\" in name:  # undecodable bytes are surrogates, which are not printable
        return "has a name with control characters, backslashes or bytes that are no UTF-8"
    if name.count("/") > limits.max_depth:
        return f"lies more than {limits.max_depth} folders deep"
    mode = entry.stat(follow_symlinks=False).st_mode
    return next((why for is_kind, why in _KINDS if is_kind(mode)), "")


def _must_be_regular(name: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise BadBundle(f"{name}: is a folder where a file should be")
    if not stat.S_ISREG(found.st_mode):
        why = next((why for is_kind, why in _KINDS if is_kind(found.st_mode)), "is no regular file")
        raise BadBundle(f"{name}: {why}; put the file itself there")
