"""One more runbook file changes a diagnosis; without any, the report says so."""

from pathlib import Path

import pytest

from report.markdown import markdown
from tests.acceptance.conftest import Cli, Make, Running

RUNBOOK = """\
---
name: ledger-gone
description: The payment ledger went away and payments wait for it.
fault: application.ledger_gone
entity: service
summary: the payment ledger of {entity} went away, so that payments wait for it
alerts: [OrdersSlow]
signatures: []
explains: []
contradicts: []
allowed-tools: []
remediation:
  now:
    - {text: Switch payments over to the standby ledger, command: "ledgerctl switch {name}", risk: medium}
  next: []
  prevention: []
checks:
  - {text: Ask the ledger for its state, command: "ledgerctl status {name}"}
---

# Ledger gone

## Meaning

The payment ledger went away: orders are slow because payments wait for the ledger.

## Impact

Orders are slow.

## Diagnosis

Ask the ledger for its state.

## Mitigation

Switch over to the standby ledger.
"""
LOG = "".join(f"2026-03-01T11:59:{n:02d}Z ERROR payments: ledger went away\n" for n in range(40))


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A folder with one runbook that has no signatures."""
    (tmp_path / "books" / "ledger-gone").mkdir(parents=True)
    (tmp_path / "books" / "ledger-gone" / "RUNBOOK.md").write_text(RUNBOOK)
    return tmp_path / "books"


def test_a_runbook_without_signatures_changes_hypotheses_and_actions(books: Path, make: Make, running: Running) -> None:
    bundle = make({"logs/app.log": LOG})
    without = running.replay(bundle).document
    taught = running.replay(bundle, runbooks=str(books)).document
    assert "application.ledger_gone" not in {each["fault"] for each in without["hypotheses"]}
    assert "application.ledger_gone" in {each["fault"] for each in taught["hypotheses"]}
    assert "ledger-gone" in taught["runbooks"] and "ledger-gone" not in without["runbooks"]
    told = str(taught["actions"]) + taught["next_check"]
    assert "ledgerctl" in told and "ledgerctl" not in str(without["actions"]) + without["next_check"]


def test_a_runbook_that_does_not_load_stops_the_start_and_names_itself(books: Path, make: Make, cli: Cli) -> None:
    file = books / "ledger-gone" / "RUNBOOK.md"
    file.write_text(RUNBOOK.replace("entity: service", "entity: ["))
    done = cli("replay", make(), FISHBONE_RUNBOOKS=str(books))
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) <= 2
    assert "ledger-gone" in done.stderr and "Traceback" not in done.stderr


def test_an_empty_index_is_said_in_the_report(make: Make, running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.bootstrap.runbook_folders", lambda settings: ())
    outcome = running.replay(make({"logs/app.log": LOG}), database_url=running.fresh_database())
    gaps = [f"{gap['what']}: {gap['why']}" for gap in outcome.document["gaps"]]
    assert "runbooks: the index of runbooks is empty" in gaps
    assert "the index of runbooks is empty" in markdown(outcome.report)
    assert outcome.document["runbooks"] == [] and outcome.document["actions"] == []
