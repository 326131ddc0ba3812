"""Containers that nothing starts again."""

from analysis.joins.not_restarted import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

BOOT = finding("host:h1", "host.rebooted", "kernel: Linux version 6.1.0")
BEFORE, AFTER = "2026-03-03T00:00:00Z", "2026-03-04T03:00:00Z"


def container(name: str, state: str, policy: str, started: str, code: int = 0) -> Fact:
    return fact(
        "container", f"container:{name}", state=state, restart_policy=policy, started_at=started, exit_code=code
    )


def told(*facts: Fact, boot: bool = True) -> list[str]:
    return [each.fact.entity for each in joined(case(facts, [BOOT] if boot else []))]


BACK = container("db", "running", "always", AFTER)


def test_a_container_without_policy_that_stayed_down_is_told() -> None:
    assert told(container("erp", "exited", "no", BEFORE), BACK) == ["container:erp"]


def test_a_policy_a_job_a_later_end_and_no_reboot_tell_nothing() -> None:
    assert told(container("erp", "exited", "always", BEFORE), BACK) == []
    assert told(container("erp", "exited", "no", BEFORE, 1), BACK) == []
    assert told(container("erp", "exited", "no", AFTER), BACK) == []
    assert told(container("erp", "exited", "no", BEFORE), BACK, boot=False) == []
    assert told(container("erp", "exited", "no", BEFORE)) == []


def test_what_ran_for_a_minute_and_ended_well_was_a_job() -> None:
    seed = container("seed", "exited", "no", BEFORE)
    for ended, names in (("2026-03-03T00:01:00Z", []), ("2026-03-04T02:50:00Z", ["container:seed"])):
        assert told(Fact(seed.kind, seed.entity, {**seed.attributes, "finished_at": ended}, seed.source), BACK) == names


def test_a_time_without_a_zone_is_not_compared() -> None:
    assert told(container("erp", "exited", "no", BEFORE), container("db", "running", "always", AFTER[:-1])) == []
