"""What people are told, over the real database and real HTTP."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from alerts import receive
from app.intake import take
from app.notify import Herald, heralding
from app.settings import Settings, load_settings
from domain.errors import BadConfiguration
from store import investigations, notifications, reports
from store.database import Database
from store.jobs import enqueue
from store.notifications import Told
from tests.app.receiver import receiver

FIRED = "2026-03-04T10:22:00Z"
DOCUMENT: dict[str, Any] = {
    "verdict": "root_cause", "next_check": "", "actions": [],
    "root_cause": {"entity": "disk:/data", "fault": "disk.full", "summary": "full", "confidence": 0.9, "chain": []},
    "incident": {"id": "x", "title": "Saving carts fails", "fired_at": FIRED},
}  # fmt: skip
SHOWN = "# Saving carts fails\n\n**Root cause:** disk full\n\n## Impact\n\nlater"


def settings(*, url: str = "http://fish.example", **notify: Any) -> Settings:
    return load_settings(notify=notify, notify_allow="127.0.0.1", public_url=url, notify_poll_seconds=0.05)


async def alert(database: Database, name: str = "CartSavesFail", now: datetime | None = None) -> str:
    entry = {"labels": {"alertname": name}, "annotations": {"summary": "Saving carts fails"}, "startsAt": FIRED,
             "status": "firing", "fingerprint": name}  # fmt: skip
    now = now or datetime.now(UTC)
    received = receive({"version": "4", "status": "firing", "receiver": "fishbone", "alerts": [entry]}, now)
    return (await take(database, received, "webhook:test", now, enqueue))[0]


async def reported(database: Database, incident: str) -> reports.StoredReport:
    async with database.connection() as connection:
        version = await investigations.start(connection, "0" * 32, incident, datetime.now(UTC))
        await reports.save(connection, incident, version, "0" * 32, DOCUMENT, SHOWN)
        stored = await reports.latest(connection, incident)
    assert stored is not None
    return stored


async def told(database: Database, incident: str) -> list[Told]:
    async with database.connection() as connection:
        return list(await notifications.of_incident(connection, incident))


async def test_a_webhook_gets_a_first_word_and_then_the_report_with_links_that_lead_to_the_pages(
    database: Database,
) -> None:
    with receiver() as hook:
        given = settings(ops={"webhook": hook.url(), "token": "let-me-in"})
        incident = await alert(database)
        async with heralding(database, given) as herald:
            assert await asyncio.to_thread(hook.came.acquire, timeout=5)
            await herald.tell(await reported(database, incident))
            assert await asyncio.to_thread(hook.came.acquire, timeout=5)
    first, report = hook.jsons()
    assert first["event"] == "investigating"
    assert "investigating **Saving carts fails**" in first["text"]
    assert first["links"]["incident"] == f"http://fish.example/incidents/{incident}"
    assert report["report"]["root_cause"]["fault"] == "disk.full"
    assert report["links"]["json"].endswith(f"/incidents/{incident}/report.json")
    assert "Impact" not in report["text"]
    assert [each["authorization"] for each in hook.headers] == ["Bearer let-me-in"] * 2


async def test_what_a_channel_refuses_is_tried_again_later_and_then_arrives_once(database: Database) -> None:
    with receiver(503, 200) as hook:
        herald = Herald(database, settings(ops={"webhook": hook.url()}))
        incident = await alert(database)
        await herald.send_due()
        [failed] = await told(database, incident)
        await herald.send_due()  # not yet
        assert len(hook.bodies) == 1
        async with database.connection() as connection:
            await connection.execute("update notification set next_at = now()")
        await herald.send_due()
        await herald.send_due()
    assert (failed.state, failed.attempts) == ("waiting", 1)
    assert "503" in failed.error
    assert [each.state for each in await told(database, incident)] == ["sent"]
    assert len(hook.bodies) == 2


async def test_a_channel_that_says_no_is_given_up_and_the_others_are_told(database: Database, tmp_path: Path) -> None:
    with receiver(403) as hook:
        herald = Herald(database, settings(bad={"webhook": hook.url()}, files={"folder": str(tmp_path / "reports")}))
        incident = await alert(database)
        stored = await reported(database, incident)
        await herald.tell(stored)
        await herald.send_due()
    assert [(one.channel, one.state) for one in await told(database, incident)] == [
        ("bad", "failed"),
        ("files", "sent"),
    ]
    assert (tmp_path / "reports" / incident / "report-v1.md").read_text() == f"{SHOWN}\n"
    assert (tmp_path / "reports" / incident / "report-v1.json").exists()


async def test_a_host_that_the_allow_list_lacks_and_a_redirect_are_not_followed(database: Database) -> None:
    with receiver(302) as hook:
        given = settings(away={"webhook": "http://other.example/hook"}, moved={"webhook": hook.url()})
        incident = await alert(database)
        await Herald(database, given).send_due()
        assert len(hook.bodies) == 1
    away, moved = await told(database, incident)
    assert (away.state, away.error) == ("failed", "notify_allow does not list other.example")
    assert (moved.state, moved.error) == ("failed", f"127.0.0.1:{hook.port}: answered 302")


async def test_two_heralds_send_each_message_once(database: Database) -> None:
    with receiver() as hook:
        given = settings(ops={"webhook": hook.url()})
        for number in range(4):
            await alert(database, f"Rule{number}")
        one, other = Herald(database, given), Herald(database, given)
        await asyncio.gather(one.send_due(), other.send_due())
        await asyncio.gather(one.send_due(), other.send_due())
    assert len(hook.bodies) == len({body["incident"]["id"] for body in hook.jsons()})
    assert len(hook.bodies) > 1


async def test_an_old_incident_gets_no_first_word_and_one_with_a_report_neither(database: Database) -> None:
    with receiver() as hook:
        herald = Herald(database, settings(ops={"webhook": hook.url()}))
        await alert(database, "Old", datetime.now(UTC) - timedelta(hours=2))
        await reported(database, await alert(database, "Done"))
        await herald.send_due()
    assert not hook.bodies


async def test_a_hanging_channel_holds_up_nobody(database: Database, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        given = settings(hangs={"webhook": url, "timeout_seconds": 0.2}, files={"folder": str(tmp_path)})
        incident = await alert(database)
        herald = Herald(database, given)
        await herald.tell(await reported(database, incident))
        await asyncio.wait_for(herald.send_due(), 5)
    assert [(each.channel, each.state) for each in await told(database, incident)] == [
        ("files", "sent"), ("hangs", "waiting"),
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of modules that apprise imports
async def test_apprise_delivers_by_its_own_means(database: Database) -> None:
    pytest.importorskip("apprise", reason="the extra notify is not installed")
    with receiver() as hook:
        herald = Herald(database, settings(chat={"apprise": f"json://127.0.0.1:{hook.port}/x"}))
        incident = await alert(database)
        await herald.send_due()
    assert [each.state for each in await told(database, incident)] == ["sent"]
    assert hook.jsons()[0]["title"] == "investigating: Saving carts fails"


def test_a_channel_names_exactly_one_way_and_a_mistake_names_the_setting() -> None:
    with pytest.raises(BadConfiguration, match=r"FISHBONE_NOTIFY_OPS.*one of folder, webhook and apprise"):
        load_settings(notify={"ops": {"webhook": "http://h/", "folder": "/tmp/x"}})


async def test_who_wants_it_hears_once_that_all_alerts_of_an_incident_are_over(database: Database) -> None:
    with receiver() as hook:
        given = settings(ops={"webhook": hook.url(), "first_word": False, "resolved": True},
                         quiet={"webhook": hook.url("/quiet"), "first_word": False})  # fmt: skip
        herald, now = Herald(database, given), datetime.now(UTC)
        incident = await alert(database)
        await herald.send_due()
        assert hook.jsons() == []
        body = {"version": "4", "status": "resolved", "alerts": [{"labels": {"alertname": "CartSavesFail"}, "status":
                "resolved", "fingerprint": "CartSavesFail"}]}  # fmt: skip
        for _ in range(2):
            await take(database, receive(body, now), "webhook:test", now, enqueue)
            await herald.send_due()
    (word,) = hook.jsons()
    assert (word["event"], word["incident"]["id"]) == ("resolved", incident)
    assert word["text"].startswith("**Saving carts fails** is over")
    assert [(each.what, each.state) for each in await told(database, incident)] == [("resolved", "sent")]
