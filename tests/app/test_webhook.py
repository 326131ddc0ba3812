"""POST /webhooks/{source} through a real server, into the real database."""

import asyncio
import base64
import csv
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from alerts import receivers
from app import webhook
from app.auth import check_start, is_loopback
from app.settings import load_settings
from app.signatures import STYLES, Seal
from app.web import pages
from domain.errors import BadConfiguration, BadSignature
from store.database import Database
from store.embedded import EmbeddedServer
from store.migrate import migrate
from tests.app.serving import NOW, entry, post, serving

PAYLOADS = Path(__file__).parents[3] / "shared" / "cases" / "payloads"
INDEX = PAYLOADS / "index.csv"
ROWS = list(csv.DictReader(INDEX.read_text(encoding="utf-8").splitlines())) if INDEX.exists() else []
TOKEN = "correct-horse-battery"
SECRET = b"hmac-secret"


async def counted(database: Database, query: str = "select count(*) as n from alert") -> Any:
    async with database.connection() as connection:
        row = await (await connection.execute(query.encode())).fetchone()
    assert row is not None
    return row["n"]


def only_line(answer: httpx2.Response) -> str:
    told = answer.json()
    assert list(told) == ["error"]
    assert "\n" not in told["error"]
    return str(told["error"])


def signed(key: bytes, text: bytes) -> str:
    return hmac.new(key, text, hashlib.sha256).hexdigest()


@pytest.mark.skipif(not ROWS, reason="the recorded payloads do not lie beside this checkout")
async def test_every_recorded_payload_is_taken_by_its_route_and_stored(database: Database):
    own = {receiver.name.replace("-", ""): receiver.name for receiver in receivers()}
    async with serving(database, rate=1000, burst=1000) as client:
        for row in ROWS:
            source = next((own[name] for name in row["sender"].split("|") if name in own), "generic")
            before = await counted(database)
            answer = await client.post(f"/webhooks/{source}", content=(PAYLOADS / row["file"]).read_bytes())
            assert answer.status_code == 202, (row, answer.text)
            assert str(await counted(database) - before) in row["alerts"].split("|"), row


async def test_a_post_is_answered_with_its_incidents_and_a_job_waits_for_each(database: Database):
    async with serving(database) as client:
        answer = await client.post("/webhooks/alertmanager", json=post(entry(host="a"), entry(host="b")))

    assert answer.status_code == 202
    assert len(set(answer.json()["incident_ids"])) == 2
    assert await counted(database, "select count(*) as n from procrastinate_jobs where status = 'todo'") == 2


@pytest.mark.parametrize(
    ("body", "why"),
    [(b"", "no JSON"), (b'{"a": ', "no JSON"), (b"\xff\xfe\x00", "no JSON"), (b'{"a": NaN}', "NaN"),
     (b"[]", "no alert"), (b'"text"', "no alert"), (b"[" * 100_000, "deep"), (b"1" * 5000, "no JSON")],
    ids=["empty", "cut", "binary", "nan", "list", "text", "deep", "number"],
)  # fmt: skip
async def test_a_body_that_is_no_alert_is_422_with_one_line(database: Database, body: bytes, why: str):
    async with serving(database) as client:
        answer = await client.post("/webhooks/alertmanager", content=body)

    assert answer.status_code == 422
    assert why in only_line(answer)


async def test_an_unknown_source_is_404_and_another_method_405(database: Database):
    async with serving(database) as client:
        assert "nobody" in only_line(unknown := await client.post("/webhooks/nobody", json=post()))
        only_line(other := await client.get("/webhooks/alertmanager"))

    assert (unknown.status_code, other.status_code) == (404, 405)


async def test_a_body_over_the_limit_is_413_also_when_it_does_not_say_its_length(database: Database):
    async def pieces() -> Any:
        for _ in range(150):
            yield b" " * 1000

    async with serving(database, body_bytes=100_000) as client:
        told = await client.post("/webhooks/alertmanager", content=b" " * 100_001)
        untold = await client.post("/webhooks/alertmanager", content=pieces())
        many = await client.post("/webhooks/alertmanager", json=post())

    assert (told.status_code, untold.status_code, many.status_code) == (413, 413, 202)
    assert "100000 bytes" in only_line(told)


async def test_too_many_alerts_in_one_post_are_413(database: Database):
    async with serving(database, post_alerts=2) as client:
        answer = await client.post("/webhooks/alertmanager", json=post(*(entry(host=str(n)) for n in range(3))))

    assert answer.status_code == 413
    assert await counted(database) == 0


async def test_a_sender_that_posts_too_fast_is_429_and_others_are_not(database: Database):
    async with serving(database, senders={"grafana": {"rate": 0.01, "burst": 2}}) as client:
        told = [await client.post("/webhooks/grafana", json=post()) for _ in range(3)]
        other = await client.post("/webhooks/alertmanager", json=post())

    assert [answer.status_code for answer in told] == [202, 202, 429]
    assert int(told[2].headers["retry-after"]) > 1
    only_line(told[2])
    assert other.status_code == 202


BASIC = {"authorization": "Basic " + base64.b64encode(b"am:pass:word").decode()}
BODY = json.dumps(post() | {"event": {"occurred_at": "2026-03-04T10:29:00Z"}}).encode()
STAMP = str(int(NOW.timestamp()))
OLD = str(int(NOW.timestamp()) - 3600)
PROOFS: list[tuple[str, Mapping[str, Any], Mapping[str, str], int]] = [
    ("bearer", {"token": "t1"}, {"authorization": "Bearer t1"}, 202),
    ("bearer, wrong", {"token": "t1"}, {"authorization": "Bearer t2"}, 401),
    ("bearer, none", {"token": "t1"}, {}, 401),
    ("bearer, the pages' one", {"token": "t1"}, {"authorization": f"Bearer {TOKEN}"}, 401),
    ("basic", {"username": "am", "password": "pass:word"}, BASIC, 202),
    ("basic, wrong name", {"username": "other", "password": "pass:word"}, BASIC, 401),
    ("basic, not base64", {"username": "am", "password": "pass:word"}, {"authorization": "Basic %%%"}, 401),
    ("pages' token as bearer", {}, {"authorization": f"Bearer {TOKEN}"}, 202),
    ("pages' token as password", {},
     {"authorization": "Basic " + base64.b64encode(f"x:{TOKEN}".encode()).decode()}, 202),
    ("nothing at all", {}, {}, 401),
    ("github", {"secret": SECRET.decode(), "signature": "github"},
     {"x-hub-signature-256": "sha256=" + signed(SECRET, BODY)}, 202),
    ("github, other body", {"secret": SECRET.decode(), "signature": "github"},
     {"x-hub-signature-256": "sha256=" + signed(SECRET, BODY + b" ")}, 401),
    ("github, no hex", {"secret": SECRET.decode(), "signature": "github"}, {"x-hub-signature-256": "sha256=zz"}, 401),
    ("grafana without a time", {"secret": SECRET.decode(), "signature": "grafana"},
     {"x-grafana-alerting-signature": signed(SECRET, BODY)}, 202),
    ("grafana must have a time", {"secret": SECRET.decode(), "signature": "grafana", "replay_seconds": 60},
     {"x-grafana-alerting-signature": signed(SECRET, BODY)}, 401),
    ("grafana with its time", {"secret": SECRET.decode(), "signature": "grafana", "replay_seconds": 60},
     {"x-grafana-alerting-signature": signed(SECRET, STAMP.encode() + b":" + BODY),
      "x-grafana-alerting-timestamp": STAMP}, 202),
    ("grafana, old", {"secret": SECRET.decode(), "signature": "grafana"},
     {"x-grafana-alerting-signature": signed(SECRET, OLD.encode() + b":" + BODY),
      "x-grafana-alerting-timestamp": OLD}, 401),
    ("grafana, time taken off", {"secret": SECRET.decode(), "signature": "grafana"},
     {"x-grafana-alerting-signature": signed(SECRET, OLD.encode() + b":" + BODY)}, 401),
    ("pagerduty, several signatures", {"secret": SECRET.decode(), "signature": "pagerduty"},
     {"x-pagerduty-signature": "v1=" + "0" * 64 + ",v1=" + signed(SECRET, BODY)}, 202),
    ("generic", {"secret": SECRET.decode()},
     {"x-fishbone-signature": "sha256=" + signed(SECRET, STAMP.encode() + b"." + BODY),
      "x-fishbone-timestamp": STAMP}, 202),
    ("generic, no time", {"secret": SECRET.decode()}, {"x-fishbone-signature": "sha256=" + signed(SECRET, BODY)}, 401),
    ("generic, old", {"secret": SECRET.decode()},
     {"x-fishbone-signature": "sha256=" + signed(SECRET, OLD.encode() + b"." + BODY),
      "x-fishbone-timestamp": OLD}, 401),
    ("own header", {"secret": SECRET.decode(), "signature": "github", "signature_header": "X-Mine"},
     {"x-mine": "sha256=" + signed(SECRET, BODY)}, 202),
    ("standard webhooks", {"secret": SECRET.decode(), "signature": "standard"},
     {"webhook-id": "m1", "webhook-timestamp": STAMP, "webhook-signature": "v1," + base64.b64encode(
         hmac.new(SECRET, b"m1." + STAMP.encode() + b"." + BODY, hashlib.sha256).digest()).decode()}, 202),
]  # fmt: skip


@pytest.mark.parametrize(("sender", "headers", "status"), [row[1:] for row in PROOFS], ids=[row[0] for row in PROOFS])
async def test_a_sender_proves_who_it_is_in_its_own_way(
    database: Database, sender: Mapping[str, Any], headers: Mapping[str, str], status: int
):
    senders = {"alertmanager": sender} if sender else {}
    async with serving(database, token=TOKEN, senders=senders) as client:
        answer = await client.post("/webhooks/alertmanager", content=BODY, headers=dict(headers))

    assert answer.status_code == status, answer.text
    assert await counted(database) == (status == 202)
    if status == 401:
        assert "secret" not in only_line(answer)


def test_signatures_of_pagerduty_are_refused_when_the_event_is_old():
    seal = Seal(STYLES["pagerduty"], SECRET)
    headers = {"x-pagerduty-signature": "v1=" + signed(SECRET, BODY)}
    seal.check(headers, BODY, NOW)
    with pytest.raises(BadSignature, match="old post"):
        seal.check(headers, BODY, NOW + timedelta(hours=1))


async def test_without_a_token_only_a_request_for_this_machines_own_name_is_served(database: Database):
    async with serving(database) as client:
        own = await client.post("/webhooks/alertmanager", json=post())
        other = await client.post("/webhooks/alertmanager", json=post(), headers={"host": "evil.example"})
        passed = await client.post("/webhooks/alertmanager", json=post(), headers={"x-forwarded-for": "192.0.2.7"})
        page = await client.get("/incidents", headers={"host": "evil.example"})

    assert [each.status_code for each in (own, other, passed, page)] == [202, 401, 401, 401]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "fishbone.example"])
def test_the_start_is_refused_where_others_can_reach_it_until_a_token_is_set(host: str):
    with pytest.raises(BadConfiguration, match="FISHBONE_TOKEN"):
        check_start(load_settings(), host)
    check_start(load_settings(token=TOKEN), host)


@pytest.mark.parametrize(("host", "own"), [("127.0.0.1", True), ("::1", True), ("[::1]", True), ("localhost", True),
                                           ("127.0.0.1.example", False), ("0.0.0.0", False)])  # fmt: skip
def test_what_is_loopback(host: str, own: bool):
    assert is_loopback(host) is own


SNS = {"Type": "SubscriptionConfirmation", "TopicArn": "arn:aws:sns:eu-1:1:ops", "MessageId": "m", "Token": "t"}
GOOD = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription"


@pytest.mark.parametrize(
    ("topics", "url", "status", "fetched"),
    [((), GOOD, 202, []), (("arn:aws:sns:eu-1:1:ops",), GOOD, 202, [GOOD]),
     (("arn:aws:sns:eu-1:1:ops",), "https://sns.eu-1.amazonaws.com.evil.example/", 422, []),
     (("arn:aws:sns:eu-1:1:ops",), "http://sns.eu-1.amazonaws.com/", 422, []),
     (("arn:aws:sns:eu-1:1:ops",), "https://user@sns.eu-1.amazonaws.com/", 422, []),
     (("arn:aws:sns:eu-1:1:ops",), "https://169.254.169.254/", 422, [])],
    ids=["not allowed", "allowed", "other host", "no https", "user", "metadata"],
)  # fmt: skip
async def test_an_sns_subscription_is_confirmed_only_when_its_topic_is_named_and_only_at_amazon(
    database: Database, topics: tuple[str, ...], url: str, status: int, fetched: list[str]
):
    asked: list[str] = []

    async def get(address: str) -> int:
        asked.append(address)
        return 200

    senders = {"cloudwatch": {"confirm_topics": topics}}
    async with serving(database, confirm=get, senders=senders) as client:
        answer = await client.post("/webhooks/cloudwatch", json=SNS | {"SubscribeURL": url})

    assert (answer.status_code, asked) == (status, fetched)


async def test_a_body_that_nobody_knows_is_read_by_the_mapping_of_its_sender(database: Database):
    mapping = {
        "alerts": "data.items", "name": "check.title", "status": "state", "severity": "check.level",
        "fingerprint": "/a.b~1c", "labels": {"host": "target.0", ".": "tags"}, "group": "batch", "resolved": ["gut"],
    }  # fmt: skip
    one = {"check": {"title": "Platte voll", "level": "crit"}, "state": "schlecht", "a.b/c": "id1",
           "target": ["db-1"], "tags": {"team": "ops"}}  # fmt: skip
    async with serving(database, senders={"haus": {"mapping": mapping}}) as client:
        opened = await client.post("/webhooks/haus", json={"data": {"items": [one]}, "batch": 7})
        ended = await client.post("/webhooks/haus", json={"data": {"items": [one | {"state": "gut"}]}})
        wrong = await client.post("/webhooks/haus", json={"data": {}})

    assert opened.json() == ended.json()
    assert await counted(database, "select min(status) as n from incident") == "closed"
    assert (wrong.status_code, "data.items" in only_line(wrong)) == (422, True)


async def test_a_sender_of_a_name_of_its_own_uses_the_receiver_that_the_settings_say(database: Database):
    async with serving(database, senders={"team-a": {"receiver": "alertmanager"}}) as client:
        answer = await client.post("/webhooks/team-a", json=post())

    assert answer.status_code == 202
    assert await counted(database, "select identity as n from alert") == "webhook:team-a"
    with pytest.raises(BadConfiguration, match="no receiver is called"):
        load_settings(senders={"team-a": {"receiver": "nobody"}})


async def test_two_web_processes_that_receive_the_same_alert_make_one_incident(database: Database, dsn: str):
    other = await Database.open(dsn)
    async with serving(database) as one, serving(other) as two:
        told = await asyncio.gather(*(each.post("/webhooks/alertmanager", json=post()) for each in (one, two) * 5))
    await other.close()

    assert len({tuple(answer.json()["incident_ids"]) for answer in told}) == 1
    assert await counted(database) == 10
    assert await counted(database, "select count(*) as n from procrastinate_jobs") == 1


async def test_while_the_database_is_away_a_post_is_503_and_what_the_sender_sends_again_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(webhook, "SLOWEST_STORE", 1.0)
    monkeypatch.setattr(pages, "SLOWEST_STORE", 1.0)
    server = await asyncio.to_thread(EmbeddedServer.enter, tmp_path / "d", named=True)
    database = await Database.open(server.dsn)
    async with database.connection() as connection:
        await migrate(connection)
    async with serving(database) as client:
        first = await client.post("/webhooks/alertmanager", json=post(entry(host="a")))
        await asyncio.to_thread(server.leave)
        away = await client.post("/webhooks/alertmanager", json=post(entry(host="b")))
        page = await client.get("/incidents")
        server = await asyncio.to_thread(EmbeddedServer.enter, tmp_path / "d", named=True)
        again = await client.post("/webhooks/alertmanager", json=post(entry(host="b")))
        for _ in range(10):
            if again.status_code == 202:
                break
            await asyncio.sleep(0.5)
            again = await client.post("/webhooks/alertmanager", json=post(entry(host="b")))

    assert [each.status_code for each in (first, away, page, again)] == [202, 503, 503, 202]
    assert int(away.headers["retry-after"]) > 0
    assert "send it again" in only_line(away)
    assert await counted(database, "select count(distinct fingerprint) as n from alert") == 2
    await database.close()
    await asyncio.to_thread(server.leave)
