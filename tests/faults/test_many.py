"""Two workers and twenty incidents: twenty reports, whoever did them."""

from typing import Any

from tests.faults.ward import Ward, comparable


def test_two_workers_write_one_report_for_each_of_twenty_incidents(ward: Ward, undisturbed: Any) -> None:
    ids = ward.bring(20)
    ward.worker(concurrency=2)
    ward.worker(concurrency=2)
    ward.until_settled(180)
    assert ward.reports_of() == [f"{each} 1" for each in ids]
    assert all(comparable(each["report"]) == undisturbed for each in ward.reports())
    assert len({line.split()[0] for line in ward.trace() if " taken " in line}) == 2
    assert ward.ask("select distinct fencing_token from investigation") == [{"fencing_token": 1}]
