"""Alerts that a report does not explain get an incident of their own, once: real workers over the real database."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from alerts import receive
from app.intake import take
from store.database import Database
from store.jobs import enqueue
from tests.faults.ward import Ward

CART = {"alertname": "CartSaveErrors", "service": "cart-api"}


def post(ward: Ward, *labels: dict[str, str], status: str = "firing") -> str:
    """The alerts of one group, as a sender posts them; the incident they are in."""
    now = datetime.now(UTC)
    body: dict[str, Any] = {
        "version": "4", "status": status, "receiver": "r", "groupKey": '{}:{team="shop"}',
        "alerts": [{"status": status, "labels": each, "annotations": {}, "fingerprint": each["alertname"]}
                   for each in labels],
    }  # fmt: skip

    async def bring() -> tuple[str, ...]:
        database = await Database.open(ward.dsn)
        try:
            return await take(database, receive(body, now), "webhook:test", now, enqueue)
        finally:
            await database.close()

    return asyncio.run(bring())[0]


def cert(name: str = "SSLCertExpiringSoon") -> dict[str, str]:
    return {"alertname": name, "certificate": f"{name}.example"}


def accounts(ward: Ward, incident: str, version: int = 1) -> dict[str, str]:
    (row,) = ward.ask("select report from report where incident_id = %s and version = %s", incident, version)
    return {each["fingerprint"]: each["account"] for each in row["report"]["alerts"]}


def members(ward: Ward) -> list[tuple[str, str]]:
    rows = ward.ask("select incident_id, fingerprint from incident_alert order by incident_id, id")
    return [(row["incident_id"], row["fingerprint"]) for row in rows]


def test_what_a_report_does_not_explain_is_investigated_as_an_incident_of_its_own(ward: Ward) -> None:
    incident = post(ward, CART, cert(), cert("NodeClockSkewDetected"))
    ward.worker()
    ward.until_settled()
    rest = f"{incident}-rest"

    assert sorted(ward.reports_of()) == [f"{incident} 1", f"{rest} 1"]
    told = accounts(ward, incident)
    assert told.pop("CartSaveErrors") in ("explained", "consistent") and set(told.values()) == {"not_explained"}
    assert members(ward) == [
        (incident, "CartSaveErrors"),
        (rest, "SSLCertExpiringSoon"),
        (rest, "NodeClockSkewDetected"),
    ]
    logged = ward.ask("select incident_id, why from alert order by id")
    assert [row["incident_id"] for row in logged] == [incident, rest, rest]
    assert f"split off from {incident}" in logged[1]["why"]
    (row,) = ward.ask("select gaps, split_from from incident where id = %s", rest)
    assert row["split_from"] == incident and f"split off from {incident}" in row["gaps"][0]


def test_a_rest_never_splits_again_and_what_comes_later_joins_it(ward: Ward) -> None:
    incident = post(ward, CART, cert())
    ward.worker()
    ward.until_settled()
    post(ward, cert("NodeClockSkewDetected"))
    ward.until_settled()
    rest = f"{incident}-rest"

    assert [row["id"] for row in ward.ask("select id from incident order by id")] == [incident, rest]
    assert (rest, "NodeClockSkewDetected") in members(ward)
    assert sorted(ward.reports_of()) == [f"{incident} 1", f"{incident} 2", f"{rest} 1", f"{rest} 2"]
    assert len(ward.ask("select id from alert where incident_id is null")) == 0


def test_a_worker_that_is_killed_while_it_reports_splits_nothing_twice(ward: Ward) -> None:
    incident = post(ward, CART, cert())
    ward.lose_worker("stage report")
    ward.worker()
    ward.until_settled()

    assert sorted(ward.reports_of()) == [f"{incident} 1", f"{incident}-rest 1"]
    assert len(members(ward)) == 2


def test_an_incident_whose_other_alerts_are_over_is_closed_and_its_rest_stays_open(ward: Ward) -> None:
    incident = post(ward, CART, cert())
    post(ward, CART, status="resolved")
    ward.worker()
    ward.until_settled()

    states = {row["id"]: row["status"] for row in ward.ask("select id, status from incident")}
    assert states == {incident: "closed", f"{incident}-rest": "open"}
