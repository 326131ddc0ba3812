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


def test_a_file_tells_not_what_the_kernel_does() -> None:
    wanted = fact("setting", "host:one", name="SELINUX", value="enforcing", origin="/etc/selinux/config")
    permissive = fact("setting", "host:one", name="getenforce", value="Permissive")
    assert found(wanted, listed("default_t"), blog()) == []
    assert found(wanted, permissive, listed("default_t"), blog()) == []
    text = "SELinux status:   enabled\nCurrent mode:     {}\nMode from config file:   enforcing"
    for mode, times in (("enforcing", 1), ("permissive", 0)):
        told = fact("reading", "host:one", command="sestatus", text=text.format(mode))
        assert len(found(told, listed("default_t"), blog())) == times


def test_what_a_server_refuses_its_users_is_no_refusal_of_the_kernel() -> None:
    assert found(ENFORCED, listed("default_t"), blog(), quote="ERROR: permission denied for table users") == []
    assert found(ENFORCED, listed("default_t"), blog(), quote="Access denied for user 'blog'@'10.3.0.4'") == []


def test_labels_do_not_hold_for_the_privileged_and_where_they_are_off() -> None:
    free = (fact("container", "container:blog", privileged=True), *(
        fact("container", "container:blog", security=[text]) for text in ("label=disable", "label:disable")
    ))  # fmt: skip
    assert [found(ENFORCED, listed("default_t"), blog(), each) for each in free] == [[], [], []]
