"""An owner that cannot be set on a network share."""

from analysis.joins.share_owners import joined
from domain.evidence import Finding
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

CHOWN = finding(
    "container:db",
    "disk.share_unsupported",
    "chown: changing ownership of '/data': Operation not permitted",
    path="/data",
)
DB = fact("container", "container:db", mounts=["/mnt/nas/db:/data:rw"])
NFS = fact("filesystem", "disk:/mnt/nas", mount="/mnt/nas", type="nfs4", device="nas:/vol")


def told(*facts: Fact, said: Finding = CHOWN) -> list[object]:
    return [each.fact.attributes["text"] for each in joined(case(facts, [said]))]


def test_the_server_of_the_share_maps_owners() -> None:
    assert told(DB, NFS) == ["/data is on the share nas:/vol (nfs4), whose server maps owners"]


def test_a_local_disk_another_mount_or_a_mere_read_tells_nothing() -> None:
    assert told(DB, fact("filesystem", "disk:/mnt/nas", mount="/mnt/nas", type="ext4", device="/dev/sdb1")) == []
    assert told(fact("container", "container:db", mounts=["/srv/db:/data:rw"]), NFS) == []
    read = finding("container:db", "process.permission_denied", "open /data/x: permission denied", path="/data/x")
    assert told(DB, NFS, said=read) == []
