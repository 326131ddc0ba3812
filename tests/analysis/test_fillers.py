"""What takes the space of a full file system."""

from analysis.joins.fillers import filled, joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

GIB = 1 << 30
FULL = fact("filesystem", "disk:/srv", mount="/srv", size=100 * GIB, use_percent=100.0)


def folder(path: str, size: int) -> Fact:
    return fact("directory", f"disk:{path}", path=path, size=size * GIB)


def found(*facts: Fact) -> list[object]:
    return [(f.fact.entity, f.fact.attributes["filler"], f.fact.attributes["share"]) for f in joined(case(facts))]


def test_the_deepest_that_takes_most_is_named() -> None:
    told = found(FULL, folder("/srv/app", 95), folder("/srv/app/spool", 90), folder("/srv/app/conf", 1))
    assert told == [("disk:/srv", "/srv/app/spool", 90)]


def test_the_mount_itself_a_small_part_another_disk_or_room_tell_nothing() -> None:
    assert found(FULL, folder("/srv", 99), folder("/srv/a", 20), folder("/var/log", 80)) == []
    half = fact("filesystem", "disk:/srv", mount="/srv", size=100 * GIB, use_percent=60.0)
    assert found(half, folder("/srv/app", 55)) == []


def test_who_complains_of_the_full_file_system_is_told_what_fills_the_only_one() -> None:
    captures = {"filler": "/srv/app", "filler_size": "90 GiB", "share": "90"}
    told = finding("disk:/srv", "disk.full", **captures)
    said = filled(finding("service:db", "disk.full", path="base/1"), [told])
    assert (said.captures, len(said.citations)) == ({"path": "base/1", **captures}, 2)
    other = finding("service:db", "disk.read_only")
    assert filled(other, [told]) is other
    unknown = finding("service:db", "disk.full")
    assert filled(unknown, [told, told]) is unknown


def test_a_folder_on_a_disk_of_its_own_or_of_another_machine_does_not_fill_the_one_above() -> None:
    root = fact("filesystem", "disk:/", mount="/", size=100 * GIB, use_percent=97.0)
    own = fact("filesystem", "disk:/data", mount="/data", size=500 * GIB, use_percent=16.0)
    assert found(root, folder("/data", 80)) == [("disk:/", "/data", 80)]
    assert found(root, own, folder("/data", 80)) == []
    assert found(root, own, folder("/data/db", 80)) == []
    inside = fact("directory", "container:db", path="/data", size=80 * GIB)
    assert found(root, inside) == []
    machines = (fact("cpu", "host:one", cpus=4), fact("cpu", "host:two", cpus=4))
    elsewhere = Fact("directory", "disk:/data", {"path": "/data", "size": 80 * GIB}, "artifacts/two.txt")
    assert found(root, elsewhere, *machines) == []


def test_who_complains_of_another_file_system_is_not_told_the_filler() -> None:
    told = finding("disk:/srv", "disk.full", filler="/srv/app", filler_size="90 GiB", share="90")
    boot = finding("disk:/boot", "disk.full")
    assert filled(boot, [told]) is boot
    mounted = finding("container:db", "disk.full", mount="/var/lib/db")
    assert filled(mounted, [told]) is mounted
    assert "filler" in filled(finding("disk:/srv", "disk.full", mount="/srv"), [told]).captures
