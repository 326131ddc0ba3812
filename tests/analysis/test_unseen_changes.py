"""A folder that is watched by file events although it lies on a network share."""

from analysis.captures import facts_of
from analysis.joins.unseen_changes import NAME, WAITING, joined
from analysis.lines.timestamps import Clock
from domain.facts import Fact
from tests.analysis.joining import NOW, case, fact, finding

WATCH = finding(
    "container:docs", "disk.no_file_events", "Using inotify to watch directory for changes: /consume", path="/consume"
)
DOCS = fact("container", "container:docs", mounts=["/srv/inbox:/consume:rw"], env=["CONSUMER_RECURSIVE=true"])
FINDMNT = "$ findmnt -T /srv/inbox -o TARGET,SOURCE,FSTYPE\nTARGET SOURCE FSTYPE\n/srv/inbox {device} {type}\n"


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/facts.txt", text, Clock(NOW))


def told(*facts: Fact) -> list[object]:
    return [each.fact.attributes["name"] for each in joined(case(facts, [WATCH]))]


def test_the_watched_folder_is_a_mount_of_a_share() -> None:
    share = captured(FINDMNT.format(device="10.8.0.5:/scan", type="nfs4"))
    assert told(DOCS, *share) == [NAME]
    inside = captured("$ docker exec docs mount\n//nas/scan on /consume type cifs (rw,relatime,vers=3.1.1)\n")
    assert told(DOCS, *inside) == [NAME]


def test_files_that_lie_there_make_it_sure() -> None:
    share = captured(FINDMNT.format(device="10.8.0.5:/scan", type="nfs4"))
    files = captured("$ docker exec docs ls -l /consume\ntotal 4\n-rw-rw-r-- 1 app app 1204411 Nov 14 13:20 a.pdf\n")
    assert told(DOCS, *share, *files) == [WAITING]


def test_a_local_disk_polling_or_a_share_elsewhere_tells_nothing() -> None:
    share = captured(FINDMNT.format(device="10.8.0.5:/scan", type="nfs4"))
    assert told(DOCS, *captured(FINDMNT.format(device="/dev/sda1", type="ext4"))) == []
    polling = fact(
        "container", "container:docs", mounts=["/srv/inbox:/consume:rw"], env=["PAPERLESS_CONSUMER_POLLING=30"]
    )
    assert told(polling, *share) == []
    elsewhere = fact("container", "container:docs", mounts=["/srv/other:/consume:rw"])
    assert told(elsewhere, *share) == []
    local = captured("$ findmnt\n/srv nas:/srv nfs4 rw\n/srv/inbox /dev/sdb1 ext4 rw,relatime\n")
    assert told(DOCS, *local) == []  # the nearest mount counts
