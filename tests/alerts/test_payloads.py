"""Bodies that real senders posted, where the recorded ones lie beside the checkout."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from alerts import GENERIC, receive, receivers
from domain.codec import dumps

PAYLOADS = Path(__file__).parents[3] / "shared" / "cases" / "payloads"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
INDEX = PAYLOADS / "index.csv"
ROWS = list(csv.DictReader(INDEX.read_text(encoding="utf-8").splitlines())) if INDEX.exists() else []
NAMES = {"uptimekuma": "uptime-kuma"}

pytestmark = pytest.mark.skipif(not ROWS, reason="the recorded payloads do not lie beside this checkout")


def body_of(row: dict[str, str]) -> object:
    return json.loads((PAYLOADS / row["file"]).read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['file']}-{row['sender']}" for row in ROWS])
def test_a_recorded_body_gives_the_alerts_the_status_and_the_name_that_its_index_says(row):
    got = receive(body_of(row), NOW)
    senders = {NAMES.get(name, name) for name in row["sender"].split("|")}
    statuses, names = row["status"].split("|"), row["name"].split("|")

    assert str(len(got.alerts)) in row["alerts"].split("|"), got
    assert got.source in senders or got.source == GENERIC, got
    if got.alerts:
        assert "any" in statuses or {alert.status.value for alert in got.alerts} <= set(statuses), got
        assert {alert.name for alert in got.alerts} <= set(names), got


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_at_most_one_receiver_knows_a_body_and_reading_it_twice_gives_the_same(row):
    body = body_of(row)
    knowing = [r.name for r in receivers() if r.name != GENERIC and r.knows(body)]

    assert len(knowing) <= 1, knowing
    assert dumps(receive(body, NOW)) == dumps(receive(body, NOW))


def test_a_sender_with_a_receiver_of_its_own_is_read_by_that_one():
    own = {receiver.name for receiver in receivers()} - {GENERIC}
    missed = {
        row["file"]
        for row in ROWS
        if not (senders := {NAMES.get(name, name) for name in row["sender"].split("|")}) & {GENERIC}
        and senders & own
        and receive(body_of(row), NOW).source not in senders
    }

    assert not missed
