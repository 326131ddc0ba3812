"""A device node whose group the container's process is not in."""

from analysis.captures import facts_of
from analysis.joins.device_groups import joined
from analysis.lines.timestamps import Clock
from domain.evidence import Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import NOW, case, finding

LS = "$ ls -ln /dev/dri\ntotal 0\ncrw-rw---- 1 0 {gid} 226, 128 Aug  3 10:02 renderD128\n"
OPEN = finding("service:ffmpeg", "host.device_permission", "Failed to open /dev/dri/renderD128 as DRM device node.")


def container(**told: Attribute) -> Fact:
    more: dict[str, Attribute] = {
        "user": "1000:1000",
        "groups": ["44", "104"],
        "devices": ["/dev/dri:/dev/dri"],
        **told,
    }
    return Fact("container", "container:media", more, "docker/containers.json")


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/facts.txt", text, Clock(NOW))


def told(*facts: Fact, complaint: Finding = OPEN) -> list[object]:
    return [each.fact.attributes["text"] for each in joined(case(facts, [complaint]))]


def test_the_group_of_the_node_is_not_among_those_of_the_process() -> None:
    nodes = captured(LS.format(gid=993) + "$ getent group render\nrender:x:993:\n")
    text = "/dev/dri/renderD128 belongs to group 993 (render) on this host, the process is in group 44, 104, 1000"
    assert told(container(), *nodes) == [text]


def test_what_id_prints_counts_and_names_are_looked_up() -> None:
    inside = captured("$ docker exec media id\nuid=1000(abc) gid=1000(abc) groups=1000(abc),993(render)\n")
    assert told(container(), *inside, *captured(LS.format(gid=993))) == []
    named = captured(LS.format(gid="render") + "$ getent group render\nrender:x:109:\n")
    assert len(told(container(), *named)) == 1
    assert told(container(groups=["109"]), *named) == []


def test_root_another_device_an_open_mode_or_no_complaint_tells_nothing() -> None:
    nodes = captured(LS.format(gid=993))
    assert told(container(user="0"), *nodes) == []
    assert told(container(devices=["/dev/ttyUSB0:/dev/ttyUSB0"]), *nodes) == []
    assert told(container(), *captured(LS.format(gid=993).replace("crw-rw----", "crw-rw-rw-"))) == []
    other = finding(
        "service:ffmpeg", "host.device_permission", "Failed to open /dev/dri/renderD129 as DRM device node."
    )
    assert told(container(), *nodes, complaint=other) == []


def test_another_containers_complaint_is_not_this_ones() -> None:
    nodes = captured(LS.format(gid=993))
    other = Fact("container", "container:jellyfin", {"user": "1001:1001"}, "docker/containers.json")
    said = finding(
        "container:jellyfin", "host.device_permission", "Failed to open /dev/dri/renderD128 as DRM device node."
    )
    assert told(container(), other, *nodes, complaint=said) == []
