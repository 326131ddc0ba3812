"""process.permission_denied: a hardening script gives the spool to root, and the service is not root."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.faults.disk_inodes import TOKEN, visit
from lab.load import CANARY, Clients
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.stage import Host, Stage, wait_for_port

SPOOL = "/srv/spool"
HOST = Host("files-3", {"upload-api": "10.20.0.34"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    Path(SPOOL).mkdir()
    shutil.chown(SPOOL, "nobody")
    address = (HOST.addresses["upload-api"], 8080)
    told_env = {"SPOOL": SPOOL, "TOKEN": TOKEN, "LISTEN": address[0], "PORT": "8080", "NAME": "upload-api"}
    stage.start_python("upload-api", "upload_api.py", env=told_env, user="nobody")
    wait_for_port(*address)
    clients = Clients("upload-api", address, visit, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "upload-api"))
    recording.probe("upload-api:8080")
    timeline(recording, None if healthy else lambda: stage.run_ok(f"chown root:root {SPOOL}; chmod 755 {SPOOL}"))


SCENARIO = told(
    play,
    "process_permission",
    "uploads-500",
    HOST,
    "upload-api",
    ("UploadErrorRatioHigh", "Uploads answer 500", "A quarter of the requests to upload-api fail since a few seconds."),
    ("HardeningFollowUp", "Follow-up to the hardening of files-3", "Planned check: are uploads stored?"),
    Expected(
        fault="process.permission_denied",
        entities=["upload-api", SPOOL, "upload_api"],
        terms=[
            ["permission denied", "errno 13", "eacces", "permission"],
            ["file", "folder", "spool", "write", "open", "path"],
        ],
        tempting="the volume is full or read-only",
        difficulty="easy",
        must_not_appear=[TOKEN, CANARY],
    ),
)
