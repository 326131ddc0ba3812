"""A real dockerd for tests, started by hand, with an image made of busybox; skipped with the reason elsewhere."""

import contextlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

IMAGE = "sre/busybox:1"
BUSYBOX = Path("/bin/busybox")


def why_not() -> str:
    """Why no engine can be started here; empty where it can."""
    if os.getuid() != 0:
        return "dockerd needs root"
    if not shutil.which("dockerd"):
        return "dockerd is not installed (Debian: docker.io)"
    return "" if BUSYBOX.exists() else "busybox is not installed (Debian: busybox-static)"


@contextlib.contextmanager
def running_engine() -> Iterator[Any]:
    """The SDK's low-level client of a dockerd of our own. Its socket is `client.fishbone_socket`."""
    import docker

    if reason := why_not():
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="fb-eng-", ignore_cleanup_errors=True) as folder:
        socket = f"{folder}/docker.sock"
        with _daemon(folder, socket):
            client = docker.APIClient(base_url=f"unix://{socket}", version="auto", timeout=10)
            client.fishbone_socket = f"unix://{socket}"
            client.fishbone_pid = int(Path(f"{folder}/pid").read_text())
            client.import_image_from_data(
                _image(), repository=IMAGE.partition(":")[0], tag="1", changes=["ENV PATH=/bin"]
            )
            try:
                yield client
            finally:
                for one in client.containers(all=True):
                    client.remove_container(one["Id"], force=True)
                client.close()


@contextlib.contextmanager
def _daemon(folder: str, socket: str) -> Iterator[None]:
    command = [
        "dockerd", "-H", f"unix://{socket}", f"--data-root={folder}/data", f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid", "--iptables=false", "--ip6tables=false", "--bridge=none", "--ip-forward=false",
        "--ip-masq=false",
    ]  # fmt: skip
    with Path(f"{folder}/log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as daemon:
        try:
            end = time.monotonic() + 20
            while not Path(socket).exists():
                if daemon.poll() is not None or time.monotonic() > end:
                    said = Path(f"{folder}/log").read_text().strip().splitlines()[-1:]
                    pytest.skip(f"dockerd does not start here: {said}")
                time.sleep(0.05)
            yield
        finally:
            daemon.terminate()
            try:
                daemon.wait(15)
            except subprocess.TimeoutExpired:
                daemon.kill()
            for mount in (f"{folder}/data", f"{folder}/exec/netns/default"):
                subprocess.run(["umount", mount], check=False, capture_output=True)


def _image() -> bytes:
    names = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split()
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for folder in ("bin", "etc", "tmp", "proc", "sys", "dev"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        tar.add(BUSYBOX, "bin/busybox")
        for name in names:
            if name != "busybox":
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                tar.addfile(link)
    return packed.getvalue()
