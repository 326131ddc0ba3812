"""A program that forks workers, so that a test does not wait seconds for the imports of each.

It reads one JSON object a line: {settings, concurrency, trace, log, at}. `at` says what happens to the worker at its
n-th notice, counted over all its runs: {n, signal, delay}. It answers with the pid. What a worker notices is appended
to `trace` before it is written anywhere else.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from app.bootstrap import open_house
from app.fingerprint import fingerprint
from app.queue import run_worker
from app.settings import load_settings


def main() -> None:
    """Fork a worker for each line."""
    fingerprint()  # cached: the workers need not read the code again
    signal.signal(signal.SIGCHLD, _reap)
    print("ready", flush=True)
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            _be_a_worker(json.loads(line))
        print(pid, flush=True)


def _reap(*_: object) -> None:
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


def _be_a_worker(asked: dict[str, Any]) -> None:
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {os.getpid()} %(levelname)s %(name)s: %(message)s")
        asyncio.run(_work(asked))
        code = 0
    except BaseException:  # noqa: BLE001  # a forked child must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


async def _work(asked: dict[str, Any]) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with open_house(load_settings(**asked["settings"]), models=True) as house:
        trace = os.open(asked["trace"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(trace, f"{os.getpid()} ready\n".encode())
        await run_worker(house, asked["concurrency"], stop, watch=_watch(trace, asked["at"]))


def _watch(trace: int, at: dict[str, Any] | None) -> Callable[[str, str], None]:
    seen, done = 0, False

    def watch(what: str, whom: str) -> None:
        nonlocal seen, done
        seen += 1
        os.write(trace, f"{os.getpid()} {what} {whom}\n".encode())
        if at and not done and (at["n"] in (seen, _poison(what, whom)) or f"{what} {whom}".startswith(str(at["n"]))):
            done = True
            if at["delay"] == 0:
                os.kill(os.getpid(), at["signal"])
            else:
                threading.Timer(at["delay"], os.kill, (os.getpid(), at["signal"])).start()

    return watch


def _poison(what: str, whom: str) -> str:
    """`poison <incident>` stands for either of the ways in which a worker begins with it."""
    return f"poison {whom}" if what in ("taken", "resumed") else ""


if __name__ == "__main__":
    main()
