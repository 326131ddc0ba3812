"""Whose output a block of a capture is."""

import pytest

from analysis.captures.transcript import Block, split
from analysis.captures.whose import whose


@pytest.mark.parametrize(
    ("command", "owner"),
    [
        ("kubectl logs -n kube-system coredns-5d7-x2x --previous", "pod:coredns-5d7-x2x"),
        ("kubectl logs deploy/web", "service:web"),
        ("kubectl describe node w-7", "host:w-7"),
        ("kubectl describe pod/web-1", "pod:web-1"),
        ("kubectl debug node/w-7 -it --image=busybox -- chroot /host dmesg -T", "host:w-7"),
        ('oc debug node/w-7 -- chroot /host sh -c "dmesg -T | tail"', "host:w-7"),
        ("kubectl node-shell w-7 -- dmesg", "host:w-7"),
        ("docker logs --tail 20 web", "container:web"),
        ("podman logs web --tail 2", "container:web"),
        ("docker exec web cat /etc/resolv.conf", "container:web"),
        ("ssh w-7 dmesg", "host:w-7"),
    ],
)
def test_the_command_tells_it(command: str, owner: str) -> None:
    assert whose(Block(command, "", 2)) == owner


@pytest.mark.parametrize("command", ["kubectl get pods -A", "kubectl logs -l app=web", "docker ps", "dmesg -T", ""])
def test_lists_and_what_ran_just_here_are_nobodys(command: str) -> None:
    assert whose(Block(command, "", 2)) == ""


def test_a_recorded_call_names_the_pod_or_carries_the_command() -> None:
    called = '# fetch_pod_logs {"pod_name": "web-1", "namespace": "shop"}\nready\n'
    ran = '# run_bash_command {"command": "kubectl debug node/w-7 -- dmesg"}\nx\n'
    every = '# fetch_pod_logs {"pod_name": "*"}\nready\n'
    assert [whose(split(text)[0]) for text in (called, ran, every)] == ["pod:web-1", "host:w-7", ""]
