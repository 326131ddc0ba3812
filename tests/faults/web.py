"""`fishbone serve` as a process of its own over a ward's database."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from store.lock import wait_until
from tests.faults.ward import Ward


@contextmanager
def web_of(ward: Ward, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Where its Alertmanager posts to."""
    serve = [str(Path(sys.executable).with_name("fishbone")), "serve", "--port", "0"]
    given = {**os.environ, "FISHBONE_DATA": str(ward.data), **(environment or {})}
    said = ward.folder / f"web-{uuid.uuid4().hex[:6]}.log"
    with said.open("wb") as log:
        process = subprocess.Popen(serve, env=given, stderr=log)
    try:
        assert wait_until(lambda: "serves http://" in said.read_text() or process.poll() is not None, 120)
        address = next(line.split()[2].rstrip(",") for line in said.read_text().splitlines() if "serves http" in line)
        yield address.replace("/incidents", "/webhooks/alertmanager")
    finally:
        process.terminate()
        process.wait(90)


def answer(url: str, body: Mapping[str, Any]) -> int:
    """The status of a post."""
    return httpx2.post(url, json=body, timeout=30).status_code
