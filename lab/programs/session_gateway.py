"""Keeps a journal file for every open session; logging out closes it."""

import os
import pathlib

import http_app

SPOOL = pathlib.Path("/srv/session-gateway/spool")
TOKEN = os.environ["UPSTREAM_TOKEN"]
sessions = {}


def log_in(_, body):
    user = body["user"]
    journal = (SPOOL / f"{len(sessions)}-{user}.journal").open("a")
    sessions[user] = journal
    print("opened", user, file=journal, flush=True)
    return 201, {"session": user}


def show(path, _):
    return 200, {"session": path.rsplit("/", 1)[1], "journal": (SPOOL / "motd").read_text().strip()}


def log_out(path, _):
    journal = sessions.pop(path.rsplit("/", 1)[1], None)
    if journal:
        journal.close()
    return 200, {"closed": journal is not None}


if __name__ == "__main__":
    SPOOL.mkdir(exist_ok=True)
    (SPOOL / "motd").write_text("welcome\n")
    print(f"starting session-gateway 3.3.0 upstream=https://idp.shop.internal token={TOKEN}", flush=True)
    http_app.serve(
        "session-gateway",
        {("POST", "/session"): log_in, ("GET", "/session/"): show, ("DELETE", "/session/"): log_out},
        os.environ["LISTEN"],
        8080,
    )
