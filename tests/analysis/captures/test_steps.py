"""Several commands in one line, each with its own line of output."""

import pytest

from tests.analysis.captures.reading import read


def seen(text: str) -> list[tuple[str, str, object, int | None]]:
    return [
        (fact.kind, fact.entity, fact.attributes.get("soft", fact.attributes.get("pids")), fact.line)
        for fact in read(text)
        if "soft" in fact.attributes or "pids" in fact.attributes
    ]


@pytest.mark.parametrize("prefix", ["docker exec web sh -c", "podman exec web bash -c"])
def test_each_command_of_a_shell_in_a_container_is_read_with_its_own_line(prefix: str) -> None:
    asked = "id -u; ulimit -u; cat /sys/fs/cgroup/pids.current /sys/fs/cgroup/pids.max"
    text = f"$ {prefix} '{asked}'\n33\n512\n40\nmax\n"
    assert seen(text) == [("limit", "container:web", 512, 3), ("container", "container:web", 40, 4)]


def test_without_a_container_or_over_ssh_they_are_the_machine_s() -> None:
    assert seen("$ ulimit -u && nproc\n4096\n8\n") == [("limit", "host:localhost", 4096, 2)]
    assert seen("$ ssh box 'nproc; ulimit -u'\n8\n4096\n") == [("limit", "host:box", 4096, 3)]


def test_a_process_that_is_named_by_its_container_is_the_container_s() -> None:
    asked = "cat /proc/$(docker inspect -f '{{.State.Pid}}' web)/limits | grep processes"
    text = f"$ {asked}\nMax processes             512                  1024                 processes\n"
    assert seen(text) == [("limit", "container:web", 512, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "$ ulimit -u; cat /etc/hosts\n4096\n127.0.0.1 localhost\n",  # a file of any length
        "$ ulimit -Sn; ulimit -Hn\n1024\n4096\n",  # one statement
    ],
)
def test_what_may_print_more_or_is_one_statement_stays_whole(text: str) -> None:
    assert {fact.line for fact in read(text)} == {2}
