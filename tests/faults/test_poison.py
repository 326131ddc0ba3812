"""An incident that crashes its workers is set aside after three, visible, and holds up nothing else."""

import subprocess

import pytest

from tests.faults.ward import Ward


def test_an_incident_that_crashed_three_workers_is_set_aside_and_the_others_get_their_reports(ward: Ward) -> None:
    ward.bring(2)
    quick = {"heartbeat_seconds": 0.3, "lease_seconds": 1.5, "poll_seconds": 0.5}
    for _ in range(3):
        ward.lose_worker("poison ward-00", **quick)
    ward.worker(**quick)
    ward.until_settled()
    assert ward.reports_of() == ["ward-01 1"]
    (row,) = ward.ask("select incident.status, crashes, investigation.status as run, reason from incident "
                      "join investigation on incident_id = incident.id where incident.id = 'ward-00'")  # fmt: skip
    assert (row["status"], row["crashes"], row["run"]) == ("failed", 3, "failed")
    assert "3 workers were lost" in row["reason"]
    assert "set aside after 3 crashed workers" in ward.command("incidents")


def test_an_incident_that_is_closed_is_not_tried_again_and_one_line_says_so(ward: Ward) -> None:
    (incident,) = ward.bring(1)
    ward.ask("update incident set status = 'closed' returning id")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        ward.command("incidents", "retry", incident)
    assert refused.value.returncode == 2
    assert refused.value.stderr.strip().count("\n") == 0 and f"{incident} is closed" in refused.value.stderr
    assert ward.ask("select status from incident") == [{"status": "closed"}]


def test_an_incident_that_was_set_aside_is_tried_again_when_a_person_says_so(ward: Ward) -> None:
    ward.bring(1)
    ward.lose_worker("poison ward-00", most_crashes=1)
    ward.worker(most_crashes=1)
    ward.until_settled()
    assert ward.reports_of() == []
    assert "is in the queue" in ward.command("incidents", "retry", "ward-00")
    ward.until_settled()
    assert ward.reports_of() == ["ward-00 2"]
