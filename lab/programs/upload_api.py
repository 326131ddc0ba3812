"""Stores what is uploaded, a file each."""

import os
import pathlib

import http_app

SPOOL = pathlib.Path(os.environ["SPOOL"])


def store(_, body):
    (SPOOL / f"{body['name']}.txt").write_text(body["text"])
    return 201, {"stored": body["name"]}


def fetch(path, _):
    found = SPOOL / f"{path.rsplit('/', 1)[1]}.txt"
    return (200, {"size": found.stat().st_size}) if found.exists() else (404, {"error": "no such upload"})


if __name__ == "__main__":
    print(f"starting upload-api 3.1.0 spool={SPOOL} token={os.environ['TOKEN']}", flush=True)
    http_app.serve(
        "upload-api",
        {("POST", "/uploads"): store, ("GET", "/uploads/"): fetch},
        os.environ["LISTEN"],
        int(os.environ["PORT"]),
    )
