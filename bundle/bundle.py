"""Opens a recorded incident, and reads its files within limits."""

import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import BinaryIO, Self

from analysis.text import decode, looks_binary
from bundle import documents
from bundle.compress import Spent, open_stream
from bundle.limits import MIB, Limits
from bundle.manifest import FILE as MANIFEST
from bundle.manifest import Manifest, read_manifest
from bundle.paths import Listing, listing
from bundle.tar import unpack
from domain.codec import Json
from domain.errors import BadBundle
from domain.evidence import Gap

ALERT = "alert.json"
TRUTH = "expected.yaml"  # for eval and the scorer; nothing here opens it
CALLS = "calls.jsonl"
_NOT_EVIDENCE = frozenset({MANIFEST, ALERT, TRUTH})
REPLIES = "models.jsonl"
_RECORDING = frozenset({CALLS, REPLIES, "contract.json", "report.json", "report.md"})
_PROBE = 4096


def open_bundle(path: Path, limits: Limits | None = None) -> "Bundle":
    """The bundle in a folder or a .tar.zst. Raises BadBundle, one clear line, where there is none."""
    limits = limits or Limits()
    if path.is_dir():
        return Bundle(path, path.resolve().name, limits)
    if not path.is_file():
        raise BadBundle(f"{path}: there is no such bundle; name a folder or a .tar.zst with {MANIFEST} in it")
    folder = Path(tempfile.mkdtemp(prefix="fishbone-bundle-"))
    try:
        root, gaps = unpack(path.resolve(), folder, limits)
        bundle = Bundle(root, path.name.removesuffix(".zst").removesuffix(".tar"), limits, gaps)
    except BadBundle:
        rmtree(folder, ignore_errors=True)
        raise
    bundle.forget = weakref.finalize(bundle, rmtree, folder, True)
    return bundle


class Bundle:
    """A recorded incident. Reading raises BadBundle with the file, the place and what is wrong."""

    def __init__(self, root: Path, name: str, limits: Limits, gaps: tuple[Gap, ...] = ()) -> None:
        self.root = root
        self.limits = limits
        self.forget: weakref.finalize[..., Bundle] | None = None
        self._spent = Spent()
        self._listing: Listing = listing(root, limits)
        self._manifest: Manifest = read_manifest(self._settings(MANIFEST, limits.max_settings_bytes), name)
        self.alert: Json = documents.json_of(ALERT, self._settings(ALERT, limits.max_alert_bytes), strict=True)
        texts, unread = self._texts()
        self._text_sources = texts
        self.gaps: tuple[Gap, ...] = (*gaps, *self._manifest.gaps, *self._listing.gaps, *self._misplaced(), *unread)
        self.id, self.title, self.notes = self._manifest.id, self._manifest.title, self._manifest.notes
        self.fired_at, self.window = self._manifest.fired_at, self._manifest.window
        self.timezone = self._manifest.timezone
        self.now = self.window.end
        self.is_recording = CALLS in self._listing.files

    def files(self) -> tuple[str, ...]:
        """Paths of all evidence files from the root, sorted."""
        recorded = _RECORDING if self.is_recording else frozenset()
        return tuple(
            name
            for name in self._listing.files
            if name not in _NOT_EVIDENCE | recorded and not (self.is_recording and name.startswith("results/"))
        )

    def text_sources(self) -> tuple[str, ...]:
        """Paths of the text files under logs/ and artifacts/, sorted."""
        return self._text_sources

    def exists(self, name: str) -> bool:
        """Whether the bundle has this file."""
        return name in self._listing.files and name != TRUTH

    def size(self, name: str) -> int:
        """The file's size on disk in bytes. Raises BadBundle when there is none."""
        if not self.exists(name):
            raise BadBundle(f"{name}: the bundle has no such file")
        return self._listing.files[name]

    def open_bytes(self, name: str) -> BinaryIO:
        """The file as a stream, decompressed where its name ends in .gz or .zst."""
        self.size(name)
        return open_stream(self.root, name, self.limits, self._spent)

    def read_bytes(self, name: str) -> bytes:
        """The whole file, decompressed."""
        return self._whole(name, self.limits.max_document_bytes)

    def read_text(self, name: str) -> str:
        """The whole file as text."""
        return decode(self.read_bytes(name))

    def read_json(self, name: str) -> Json:
        """The file's JSON; NaN and infinities become None."""
        return documents.json_of(name, self.read_bytes(name))

    def read_yaml(self, name: str) -> Json:
        """The file's YAML."""
        return documents.yaml_of(name, self._whole(name, self.limits.max_settings_bytes * 8))

    def read_jsonl(self, name: str, problems: list[str] | None = None) -> Iterator[Json]:
        """One value per line. A broken line raises, or is noted in `problems` and left out."""
        with self.open_bytes(name) as stream:
            yield from documents.jsonl_of(name, stream, self.limits, problems)

    def close(self) -> None:
        """Removes the unpacked copy of a .tar.zst; without effect on a folder."""
        if self.forget is not None:
            self.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _whole(self, name: str, limit: int) -> bytes:
        found = bytearray()
        with self.open_bytes(name) as stream:
            while len(found) <= limit and (block := stream.read(MIB)):
                found += block
        if len(found) > limit:
            raise BadBundle(f"{name}: larger than the {limit} bytes that are read into memory; shorten it")
        return bytes(found)

    def _settings(self, name: str, limit: int) -> bytes:
        if name not in self._listing.files:
            why = next((gap.why for gap in self._listing.gaps if gap.what == name), "missing")
            why = "is a folder where a file should be" if (self.root / name).is_dir() else why
            raise BadBundle(f"{name}: {why}; a bundle needs {MANIFEST} and {ALERT} as plain files in {self.root}")
        return self._whole(name, limit)

    def _texts(self) -> tuple[tuple[str, ...], tuple[Gap, ...]]:
        names: list[str] = []
        gaps: list[Gap] = []
        for name in self._listing.files:
            if not name.startswith(("logs/", "artifacts/")):
                continue
            if why := self._no_text(name):
                gaps.append(Gap(name, why))
                continue
            names.append(name)
            if not self.size(name):
                gaps.append(Gap(name, "is empty"))
        return tuple(names), tuple(gaps)

    def _no_text(self, name: str) -> str:
        try:
            with self.open_bytes(name) as stream:
                head = stream.read(_PROBE)
        except BadBundle as exc:
            return str(exc).removeprefix(f"{name}: ")
        stray = head.count(0) * 20 < len(head)  # programs that crash leave a few zero bytes in their logs
        return "is binary, no text" if looks_binary(head.replace(b"\0", b"") if stray else head) else ""

    def _misplaced(self) -> Iterator[Gap]:
        for name in documents.WELL_KNOWN:
            if name not in self._listing.files and (self.root / name).is_dir() and not (self.root / name).is_symlink():
                yield Gap(name, "is a folder where a file should be")
