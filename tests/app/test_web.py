"""The pages through a real server, over the real database."""

import asyncio
import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from domain.alert import Incident, Window
from store import claims, events, incidents, investigations, reports
from store.claims import Asked, Held
from store.database import Database
from tests.app.serving import NOW, entry, post, serving

TOKEN = "correct-horse-battery"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> [a](javascript:alert(3))"
MARKDOWN = f"""# {HOSTILE}

**Root cause:** `disk.full` · `disk:/`

<script>alert(1)</script> ![x](http://evil.example/x.png) [y](javascript:alert(3)) [z](https://ok.example)

## Causal chain

```mermaid
flowchart TD
  n1["x"]
```

1. first [1]

## Charts

![a](charts/01-a.svg)

| UTC | What |
| --- | --- |
| 10:00 | it broke |
"""
HTML = {"accept": "text/html,application/xhtml+xml"}


async def reported(database: Database, name: str = "inc-1", verdict: str = "root_cause") -> Held:
    """An incident that a worker reported on."""
    incident = Incident(name, HOSTILE, NOW, Window(NOW - timedelta(hours=1), NOW), "UTC", ())
    async with database.connection() as connection:
        await incidents.save(connection, incident)
        held = await claims.claim(connection, Asked(name, 1, f"run-{name}", "", "", 60, 3))
        assert isinstance(held, Held)
        for kind, of in (("taken", name), ("tool_called", "log logs_match"), ("agent_done", "log 3 1")):
            await events.append(connection, held.investigation, kind, {"of": of}, held.token)
        document = {"verdict": verdict, "root_cause": {"fault": "disk.full"}}
        await reports.save(connection, name, held.version, held.investigation, document, MARKDOWN)
        await events.append(connection, held.investigation, "report", {"version": 1}, held.token)
        outcome = investigations.Outcome("done", NOW, "", verdict, 0.84, f"disk:/{HOSTILE}", "disk.full")
        await claims.ended(connection, held, outcome)
    return held


def assert_inert(page: str) -> None:
    """Nothing that a stranger wrote acts."""
    assert not re.search(r"<(script(?! src=\"/static)|img|iframe)|javascript:[^)]*\"|\son\w+=[^&]*>", page), page


async def test_a_hostile_title_acts_neither_in_the_list_nor_on_its_page(database: Database):
    await reported(database)
    async with serving(database) as client:
        await client.post("/webhooks/alertmanager", json=post(entry(HOSTILE, annotations={"summary": HOSTILE})))
        listed = await client.get("/incidents")
        shown = await client.get("/incidents/inc-1")

    for page in (listed, shown):
        assert page.status_code == 200
        assert_inert(page.text)
        assert "&lt;script&gt;alert(1)" in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]


async def test_a_report_is_rendered_without_images_of_others_and_without_foreign_schemes(database: Database):
    await reported(database)
    async with serving(database) as client:
        page = (await client.get("/incidents/inc-1")).text

    assert "<code>disk.full</code>" in page
    assert "<td>it broke</td>" in page
    assert 'href="https://ok.example"' in page
    assert "evil.example" not in page
    assert "flowchart" not in page


async def test_the_report_comes_as_markdown_and_as_json(database: Database):
    await reported(database)
    async with serving(database) as client:
        markdown = await client.get("/incidents/inc-1/report.md")
        plain = await client.get("/incidents/inc-1/report.json?version=1")
        wrong = ("no", "no/report.md", "inc-1/report.json?version=2", "inc-1/report.md?version=x", "no/events")
        missing = [await client.get(f"/incidents/{path}") for path in wrong]

    assert (markdown.text, markdown.headers["content-type"]) == (MARKDOWN, "text/markdown; charset=utf-8")
    assert plain.json()["verdict"] == "root_cause"
    assert [answer.status_code for answer in missing] == [404] * 5


async def test_the_list_is_filtered_and_paged(database: Database):
    await reported(database, "inc-1")
    await reported(database, "inc-2", "healthy")
    incident = Incident("x", "many", NOW, Window(NOW, NOW), "UTC", ())
    async with database.connection() as connection:
        for n in range(60):
            await incidents.save(connection, replace(incident, id=f"many-{n}"))
    async with serving(database) as client:

        async def found(query: str) -> set[str]:
            return set(re.findall(r'href="/incidents/([\w-]+)"', (await client.get(f"/incidents?{query}")).text))

        assert await found("verdict=healthy") == {"inc-2"}
        assert await found("q=DISK.full") == {"inc-1", "inc-2"}
        assert await found("q=%25") == set()
        assert len(await found("q=many")) == 50
        assert len(await found("q=many&page=2")) == 10
        assert await found("status=failed") == set()
        assert len(await found("status=nonsense&page=-1&verdict=x")) == 50


def parsed(text: str) -> list[dict[str, Any]]:
    """The events of a stream."""
    fields = [dict(line.split(": ", 1) for line in block.splitlines() if ": " in line) for block in
              text.replace("\r\n", "\n").split("\n\n")]  # fmt: skip
    return [one for one in fields if "event" in one]


async def test_the_stream_replays_what_was_said_and_goes_on_after_any_event(database: Database):
    await reported(database)
    async with serving(database) as client:
        whole = parsed((await client.get("/incidents/inc-1/events")).text)
        rest = parsed((await client.get("/incidents/inc-1/events", headers={"last-event-id": whole[1]["id"]})).text)

    assert [one["event"] for one in whole] == ["taken", "tool_called", "agent_done", "report", "end"]
    assert json.loads(whole[1]["data"])["text"] == "log: logs_match"
    assert rest == whole[2:]


async def test_the_stream_tells_of_what_happens_while_it_is_open_and_the_page_works_without_it(database: Database):
    async with serving(database) as client:
        (name,) = (await client.post("/webhooks/alertmanager", json=post())).json()["incident_ids"]
        waits = (await client.get(f"/incidents/{name}")).text
        reading = asyncio.create_task(client.get(f"/incidents/{name}/events"))
        await asyncio.sleep(0.1)
        async with database.connection() as connection:
            held = await claims.claim(connection, Asked(name, 1, "run-1", "", "", 60, 3))
            assert isinstance(held, Held)
            await events.append(connection, "run-1", "taken", {"of": name}, held.token)
            await claims.ended(connection, held, investigations.Outcome("done", NOW, verdict="undetermined"))
            await connection.execute("delete from procrastinate_jobs")
        told = parsed((await asyncio.wait_for(reading, 20)).text)

    assert "Waiting for a worker" in waits
    assert '<noscript><meta http-equiv="refresh"' in waits
    assert [one["event"] for one in told] == ["taken", "end"]


async def test_pages_need_the_token_and_the_form_trades_it_for_a_cookie(database: Database):
    await reported(database)
    async with serving(database, token=TOKEN) as client:
        bare = await client.get("/incidents/inc-1/report.json")
        sent = await client.get("/incidents/inc-1?version=1", headers=HTML)
        form = await client.get(sent.headers["location"])
        wrong = await client.post("/login", data={"token": "guess", "next": "/incidents/inc-1"})
        bearer = await client.get("/incidents", headers={"authorization": f"Bearer {TOKEN}"})
        right = await client.post("/login", data={"token": TOKEN, "next": "/incidents/inc-1?version=1"})
        inside = await client.get("/incidents/inc-1")
        away = await client.post("/login", data={"token": TOKEN, "next": "//evil.example"})
        await client.post("/logout")
        outside = await client.get("/incidents/inc-1")

    assert (bare.status_code, list(bare.json())) == (401, ["error"])
    assert (sent.status_code, form.status_code, wrong.status_code) == (303, 200, 401)
    assert 'value="/incidents/inc-1?version=1"' in form.text
    assert (right.status_code, right.headers["location"]) == (303, "/incidents/inc-1?version=1")
    cookie = right.headers["set-cookie"]
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=lax"} <= set(cookie.split("; "))
    assert [each.status_code for each in (bearer, inside, outside)] == [200, 200, 401]
    assert away.headers["location"] == "/incidents"


async def test_a_guesser_at_the_form_is_slowed_down(database: Database):
    async with serving(database, token=TOKEN) as client:
        for _ in range(25):
            await client.post("/login", data={"token": "guess"})
        late = await client.post("/login", data={"token": TOKEN})

    assert late.status_code == 401


async def test_static_files_are_kept_by_browsers_and_nothing_else_is(database: Database):
    async with serving(database) as client:
        page = await client.get("/incidents")
        found = re.search(r"/static/style\.\w+\.css", page.text)
        assert found
        style = await client.get(found[0])
        other = await client.get("/static/..%2f..%2fauth.py")

    assert "immutable" in style.headers["cache-control"]
    assert page.headers["cache-control"] == "no-store"
    assert "http" not in style.text
    assert other.status_code == 404


@pytest.mark.parametrize("name", ["%00", "a'b", "%F0%9F%90%9F", "..%2f..", "x" * 3000])
async def test_an_odd_name_is_an_incident_that_is_not_there(database: Database, name: str):
    async with serving(database) as client:
        assert (await client.get(f"/incidents/{name}", headers=HTML)).status_code == 404
