"""Whether a fault is of the kind that an alert tells of."""

from dataclasses import replace

import pytest

from analysis.kinds import Fit, fit
from domain.alert import Alert
from domain.runbook import Runbook
from tests.analysis.test_accounts import KNOWLEDGE, case

LOOSE = Runbook("loose", "", "queue.backlog", "queue", "{entity}", alerts=("Queue.*Long|Odd",))


def fits(fault: str, alert: str, *more: Runbook) -> Fit:
    of = replace(case((alert, ()), findings=()), knowledge=(*KNOWLEDGE, *more))
    return fit(of, fault, Alert("test", alert, severity="critical"))


def test_the_alert_that_its_own_runbook_names_is_of_its_kind_in_any_case() -> None:
    assert fits("disk.full", "HostOutOfDiskSpace") is fits("disk.full", "hostoutofdiskspace") is Fit.YES


def test_a_fault_that_explains_what_the_alert_s_runbook_is_about_is_of_its_kind() -> None:
    crash = Runbook("crash", "", "application.crash", "container", "{entity}", alerts=("AppDown",))
    assert fits("disk.full", "AppDown", crash) is Fit.YES


@pytest.mark.parametrize("alert", ["HostClockSkew", "CertificateExpiresSoon", "HostHighCpuLoad"])
def test_a_resource_that_the_alert_names_is_not_that_of_another_fault(alert: str) -> None:
    assert fits("disk.full", alert) is Fit.NO


def test_a_resource_is_that_of_a_fault_which_leads_to_its_family() -> None:
    assert fits("security.crypto_miner", "HostHighCpuLoad") is Fit.YES
    assert fits("memory.oom_kill", "ContainerMemoryNearLimit") is Fit.YES


def test_what_callers_feel_may_come_of_any_fault() -> None:
    assert fits("disk.full", "CertificateErrors") is Fit.OPEN


def test_a_fault_without_a_runbook_is_open_and_an_all_clear_fits() -> None:
    assert fits("network.unreachable", "HostClockSkew") is Fit.OPEN
    assert fits("none.healthy", "HostClockSkew") is Fit.YES


def test_an_alert_of_a_resource_that_another_runbook_answers_is_not_of_this_fault() -> None:
    pool = Runbook("pool", "", "database.connections", "database", "{entity}", alerts=("TooManyConnections",))
    assert fits("disk.full", "TooManyConnections", pool) is Fit.NO
    assert fits("disk.full", "TooManyConnections") is Fit.OPEN


def test_a_runbook_s_pattern_is_for_the_whole_name() -> None:
    assert fits("queue.backlog", "odd", LOOSE) is Fit.YES
    assert fits("queue.backlog", "OddStateOfThings", LOOSE) is Fit.OPEN
