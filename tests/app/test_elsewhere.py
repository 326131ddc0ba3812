"""Alerts that name machines which nobody looks at."""

import socket
from datetime import UTC, datetime

import pytest

from app.elsewhere import elsewhere
from app.settings import load_settings
from domain.alert import Alert, Incident, Window

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def incident(*labels: dict[str, str]) -> Incident:
    alerts = tuple(Alert("test", "Slow", labels=each) for each in labels)
    return Incident("i", "t", NOW, Window(NOW, NOW), "UTC", alerts)


@pytest.mark.parametrize("name", ["vm1:9100", "VM1.example.org", "127.0.0.1:9100", "localhost", "db1", "10.9.8.7:9100"])
def test_this_machine_and_those_of_the_settings_are_known(name: str) -> None:
    settings = load_settings(host_name="vm1", remote={"db1": {"url": "http://10.9.8.7:8765", "areas": ["host"]}})
    assert elsewhere(settings, incident({"instance": name})) == ()


def test_another_machine_is_a_gap_once_and_what_runs_somewhere_is_none() -> None:
    found = elsewhere(load_settings(), incident(*[{"instance": "web-85:9100"}] * 2, {"pod": "a", "node": "n1"}, {}))
    assert len(found) == 1 and "web-85," in found[0] and socket.gethostname() in found[0] and "n1" not in found[0]


def test_of_many_machines_the_first_are_named() -> None:
    (found,) = elsewhere(load_settings(), incident(*[{"host": f"h{n}"} for n in range(9)]))
    assert "h4 and 4 more" in found and "h5" not in found
