"""The names of the machines that live sources look at."""

import socket

import pytest

from analysis.machines import machine
from app.seen import machines
from app.settings import load_settings


@pytest.mark.parametrize("name", ["vm1", "VM1.example.org", "127.0.0.1", "localhost", "::1", socket.gethostname()])
def test_this_machine_is_known_by_all_its_names(name: str) -> None:
    seen = machines(load_settings(host_name="vm1"))
    assert machine(name, seen)[0] == "vm1"


@pytest.mark.parametrize("name", ["db1", "10.9.8.7"])
def test_a_remote_machine_is_known_by_its_name_and_its_address(name: str) -> None:
    seen = machines(load_settings(remote={"db1": {"url": "http://10.9.8.7:8765", "areas": ["host"]}}))
    assert machine(name, seen)[0] == "db1"


def test_another_machine_is_not_known() -> None:
    assert not machine("db-99", machines(load_settings()))
