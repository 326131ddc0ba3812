"""disk.read_only: the volume of the uploads is mounted read-only while the service writes to it."""

from __future__ import annotations

from lab.faults.disk_inodes import TOKEN, visit
from lab.load import CANARY, Clients
from lab.record import Expected, Recording, processes
from lab.scenario import timeline, told
from lab.stage import Host, Stage

SPOOL = "/var/spool/uploads"
HOST = Host("files-2", {"upload-api": "10.20.0.34"}, {SPOOL: "64m"})


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    address = stage.start_service("upload-api", "upload_api.py", 8080, env={"SPOOL": SPOOL, "TOKEN": TOKEN})
    clients = Clients("upload-api", address, visit, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "upload-api"))
    recording.probe("upload-api:8080")
    timeline(recording, None if healthy else lambda: stage.run_ok(f"mount -o remount,ro {SPOOL}"))


SCENARIO = told(
    play,
    "disk_read_only",
    "uploads-rejected",
    HOST,
    "upload-api",
    ("UploadErrorRatioHigh", "No upload is stored any more", "Every new upload at upload-api fails; downloads work."),
    ("StorageReview", "Monthly review of the upload volume", "Planned review: are uploads stored?"),
    Expected(
        fault="disk.read_only",
        entities=["upload-api", SPOOL, "disk:", "volume:", "recorded-host"],
        terms=[["read-only", "read only", "errno 30", "erofs"], ["file system", "filesystem", "mount", "volume"]],
        tempting="the rights of the folder are wrong",
        difficulty="easy",
        must_not_appear=[TOKEN, CANARY],
    ),
)
