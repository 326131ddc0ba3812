"""What doctor says of each part."""

from pathlib import Path

import psycopg

from app.cli.doctor import _all
from app.settings import load_settings
from tests.app.receiver import receiver


async def states(**given: object) -> dict[str, tuple[str, str]]:
    quiet = {"docker_host": "off", "journal": "off", "log_globs": "/nowhere/*.log"}
    return {part: (state, detail) for part, state, detail in await _all(load_settings(**{**quiet, **given}))}


async def test_every_part_is_ok_or_off_where_nothing_is_set_up(dsn: str) -> None:
    found = await states(database_url=dsn)
    for part in (
        "settings",
        "agents",
        "runbooks",
        "database",
        "migrations",
        "queue",
        "poison",
        "runbook index",
        "host",
    ):
        assert found[part][0] == "ok", found[part]
    for part in ("models", "containers", "metrics", "traces", "notify", "spans", "token"):
        assert found[part][0] == "off", found[part]
    assert found["queue"][1] == "0 waiting, 0 running, 0 workers"


async def test_what_is_set_up_and_away_is_degraded_with_its_reason(dsn: str, tmp_path: Path) -> None:
    with receiver() as gone:
        away = f"http://127.0.0.1:{gone.port}"
    (tmp_path / "file").touch()
    found = await states(
        database_url=dsn, docker_host="unix:///nowhere.sock", prometheus_url=away, remote={"db1": {"url": away}},
        notify={"hook": {"webhook": "http://other.example/"}, "files": {"folder": str(tmp_path / "file/below")}},
    )  # fmt: skip
    assert found["containers"][0] == found["metrics"][0] == found["server db1"][0] == "degraded"
    assert found["notify hook"] == ("degraded", "notify_allow does not list other.example")
    assert "cannot be written" in found["notify files"][1]
    assert found["links"][0] == "degraded"


async def test_an_incident_that_is_set_aside_and_a_drill_are_pointed_at(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "insert into incident"
            " (id, title, fired_at, window_start, window_end, timezone, alerts, notes, gaps, status)"
            " values ('bad-1', 't', now(), now(), now(), 'UTC', '[]', '', '[]', 'failed')"
        )
    found = await states(database_url=dsn, evidence="incidents/edge-502")
    assert found["poison"] == ("degraded", "set aside: bad-1")
    assert "a drill" in found["evidence"][1]
