"""Reads and writes a bundle as one .tar.zst, member by member, without trusting a single name in it."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from backports import zstd

from bundle.compress import Spent, open_stream
from bundle.limits import MIB, Limits
from bundle.paths import listing, safe_parts
from domain.errors import BadBundle
from domain.evidence import Gap

_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_NEVER = "expected.yaml"  # the truth is for the scorer alone


class _Member(tarfile.TarInfo):
    """A member whose header is read into memory only when it is small."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        member = super().frombuf(buf, encoding, errors)
        if member.type in _HEADERS and member.size > MIB:
            raise BadBundle(f"{member.name!r}: a header of {member.size} bytes inside the archive; pack it again")
        return member


def unpack(archive: Path, folder: Path, limits: Limits) -> tuple[Path, tuple[Gap, ...]]:
    """Unpacks regular files into the folder. Returns the bundle's root in it and a gap for all that was left out."""
    gaps: list[Gap] = []
    packed = open_stream(archive.parent, archive.name, limits, Spent())
    try:
        with packed, tarfile.open(fileobj=packed, mode="r|", tarinfo=_Member) as tar:
            for count, member in enumerate(_files(tar, gaps)):
                if count == limits.max_files:
                    raise BadBundle(f"{archive.name}: more than {limits.max_files} files; pack fewer")
                _extract(tar, member, folder, limits, gaps)
    except (tarfile.TarError, OSError, ValueError) as exc:
        raise BadBundle(f"{archive.name}: broken tar: {exc}; pack it again") from exc
    return _root(folder), tuple(gaps)


def pack(folder: Path, archive: Path, limits: Limits | None = None) -> None:
    """Writes the folder's regular files as a .tar.zst: equal files give equal bytes."""
    beside = archive.with_name(f".{archive.name}.partly")
    with (
        zstd.ZstdFile(beside, "w") as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, size in listing(folder, limits or Limits()).files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = size, 0o644
            with (folder / name).open("rb") as content:
                tar.addfile(member, content)
    beside.replace(archive)


def _files(tar: tarfile.TarFile, gaps: list[Gap]) -> Iterator[tarfile.TarInfo]:
    seen: set[str] = set()
    for member in tar:
        member.name = member.name.removeprefix("./")
        if member.isdir() or member.name.rpartition("/")[2] == _NEVER:
            continue
        if why := _refusal(member, seen):
            gaps.append(Gap(member.name if member.name.isprintable() else repr(member.name), why))
            continue
        seen.add(member.name)
        yield member


def _refusal(member: tarfile.TarInfo, seen: set[str]) -> str:
    if not member.isreg() or member.issparse():
        return "is no plain file in the archive (a link, a pipe, a device or sparse) and was not unpacked"
    if member.name in seen:
        return "is in the archive more than once; the first was taken"
    try:
        safe_parts(member.name)
    except BadBundle:
        return "has a path that leaves the bundle or is not plain, and was not unpacked"
    return ""


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, limits: Limits, gaps: list[Gap]) -> None:
    content = tar.extractfile(member)
    if content is None or member.size > limits.max_file_bytes:
        gaps.append(Gap(member.name, f"is larger than {limits.max_file_bytes} bytes and was not unpacked"))
        return
    target = folder / member.name
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        gaps.append(Gap(member.name, f"could not be unpacked: {exc.strerror}"))
        return
    with content, os.fdopen(descriptor, "wb") as out:
        _copy(content, out)


def _copy(content: IO[bytes], out: IO[bytes]) -> None:
    while block := content.read(MIB):
        out.write(block)


def _root(folder: Path) -> Path:
    """The folder itself, or the only folder in it when the bundle was packed with its own name."""
    entries = sorted(folder.iterdir())
    if len(entries) == 1 and entries[0].is_dir():
        return entries[0]
    return folder
