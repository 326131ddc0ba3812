"""A bind mount with a label that is not for containers, while SELinux is enforced."""

from analysis.joins.labels import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

LABEL = "drwxr-xr-x. 2 1000 1000 unconfined_u:object_r:{}:s0 6 Mar  1 10:00 /data/blog"
ENFORCED = fact("setting", "host:one", name="getenforce", value="Enforcing")
LOG = "mkdir /var/lib/blog/cache: permission denied"


def listed(label: str) -> Fact:
    return fact("reading", "host:one", command="ls -ldZ /data/blog", text=LABEL.format(label))


def blog(mount: str = "/data/blog:/var/lib/blog") -> Fact:
    return fact("container", "container:blog", mounts=[mount])


def found(*facts: Fact, quote: str = LOG) -> list[tuple[str, object, object]]:
    complaint = finding("container:blog", "process.permission_denied", quote, "logs/blog.log")
    told = joined(case(facts, [complaint]))
    return [(each.fact.entity, each.fact.attributes["text"], each.fact.attributes["value"]) for each in told]


def test_the_label_is_told_with_the_container_that_is_refused() -> None:
    assert found(ENFORCED, listed("default_t"), blog()) == [("container:blog", "default_t", "/data/blog")]


def test_a_right_label_a_relabelled_mount_another_path_no_refusal_or_permissive_is_none() -> None:
    permissive = fact("setting", "host:one", name="getenforce", value="Permissive")
    assert found(permissive, listed("default_t"), blog()) == []
    assert found(ENFORCED, listed("container_file_t"), blog()) == []
    assert found(ENFORCED, listed("default_t"), blog("/data/blog:/var/lib/blog:Z")) == []
    assert found(ENFORCED, listed("default_t"), blog("/data/shop:/var/lib/blog")) == []
    assert found(ENFORCED, listed("default_t"), blog(), quote="disk quota exceeded") == []
