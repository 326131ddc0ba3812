"""Paths of the host whose owner the user of a container is not."""

from analysis.joins.owned_otherwise import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

DENIED = finding("container:grafana", "log.error", "GF_PATHS_DATA='/var/lib/grafana' is not writable.")
GRAFANA = fact("container", "container:grafana", user="472", mounts=["/srv/grafana:/var/lib/grafana:rw"])


def folder(owner: str, mode: str = "drwxr-xr-x", path: str = "/srv/grafana", group: str = "0") -> Fact:
    return fact("file", "host:localhost", path=path, mode=mode, owner=owner, group=group)


def told(*facts: Fact, found: object = DENIED) -> list[str]:
    return [each.fact.entity for each in joined(case(facts, [found] if found else []))]  # type: ignore[list-item]


def test_a_mounted_folder_of_root_is_told_to_a_user_who_is_denied() -> None:
    assert told(GRAFANA, folder("0")) == ["container:grafana"]
    assert told(GRAFANA, folder("root", group="root")) == ["container:grafana"]


def test_the_owner_a_writable_mode_root_and_silence_tell_nothing() -> None:
    assert told(GRAFANA, folder("472")) == []
    assert told(GRAFANA, folder("0", "drwxrwxrwx")) == []
    assert told(GRAFANA, folder("0", path="/srv/other")) == []
    assert told(GRAFANA, folder("0"), found=None) == []
    root = fact("container", "container:grafana", user="0", mounts=["/srv/grafana:/var/lib/grafana:rw"])
    assert told(root, folder("0")) == []
    named = fact("container", "container:grafana", user="grafana", mounts=["/srv/grafana:/var/lib/grafana:rw"])
    assert told(named, folder("0")) == []


def test_a_socket_is_told_by_the_groups_that_id_printed() -> None:
    device = folder("0", "srw-rw----", "/var/run/docker.sock", "105")
    user = "uid=1000(jelly) gid=1000(jelly) groups=1000(jelly)"
    denied = finding("container:tv", "log.error", "dial unix /var/run/docker.sock: connect: permission denied")
    assert told(device, fact("reading", "container:tv", text=user), found=denied) == ["container:tv"]
    assert told(device, fact("reading", "container:tv", text=f"{user},105(render)"), found=denied) == []


def test_a_socket_that_nobody_was_denied_tells_nothing() -> None:
    device = folder("0", "srw-rw----", "/var/run/docker.sock", "105")
    user = fact("container", "container:tv", user="1000:1000")
    assert told(device, user, found=finding("container:tv", "log.error", "/data/x: permission denied")) == []
