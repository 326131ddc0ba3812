"""What a diagnosis makes of each alert, and what no source looks at."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from analysis.accounts import MOST_HYPOTHESES, NO_LINK, OTHER_KIND, STOOD, WEAK, Accounts
from analysis.candidates import candidates
from analysis.case import Case
from analysis.hypotheses import hypotheses
from analysis.inventory import Inventory
from analysis.machines import called, learned
from analysis.verdict import decide
from domain.alert import Alert, Incident, Window
from domain.diagnosis import Diagnosis, Verdict
from domain.evidence import Citation, Finding
from domain.facts import Fact
from domain.results import Edge
from domain.runbook import Condition, Runbook, Signature, StateTest

FIRED = datetime(2026, 8, 18, 10, 22, tzinfo=UTC)
HERE = (("vm1", "vm1.example.org", "localhost", "10.0.0.5"),)
DISK = Runbook("disk-full", "full", "disk.full", "disk", "{entity} is full", alerts=("HostOutOfDiskSpace",),
               explains=("application.*", "process.exited"))  # fmt: skip
OOM = Runbook("memory-oom-kill", "oom", "memory.oom_kill", "container", "{entity} was killed", alerts=("ContainerOom",))
CERT = Runbook("tls-expired", "expired", "tls.certificate_expired", "certificate", "{entity} expired",
               alerts=("CertExpired",))  # fmt: skip
MINER = Runbook("miner", "miner", "security.crypto_miner", "process", "{name} mines", explains=("cpu.*",))
KNOWLEDGE = (DISK, OOM, CERT, MINER)


def finding(entity: str, kind: str, weight: float = 0.95, said: str = "") -> Finding:
    cited = (Citation("infra.1", "host", path="/facts/0", value=1),)
    return Finding(entity, kind, said or f"{entity} shows {kind}", cited, weight=weight, signature=f"r/{kind}")


def case(
    *alerts: tuple[str, tuple[str, ...]],
    findings: tuple[Finding, ...],
    facts: tuple[Fact, ...] = (),
    edges: tuple[Edge, ...] = (),
    on: tuple[tuple[str, ...], ...] = (),
    seen: tuple[tuple[str, ...], ...] = HERE,
) -> Case:
    facts = (Fact("memory", "host:vm1", {}), *facts)
    told = tuple(Alert("test", name, severity="critical", fingerprint=str(at)) for at, (name, _) in enumerate(alerts))
    incident = Incident("i", "t", FIRED, Window(FIRED - timedelta(hours=1), FIRED), "UTC", told, seen=seen)
    about = tuple(tuple(called(of, seen) for of in named) for _, named in alerts)
    alerted = tuple(dict.fromkeys(of for named in about for of in named))
    inventory = Inventory.build(facts, edges, machines=seen)
    return Case(incident, alerted, findings, facts, (), inventory, KNOWLEDGE, about=about, on=on or ((),) * len(alerts))


def decided(of: Case) -> Diagnosis:
    return decide(of, hypotheses(of, candidates(of)))


def told(of: Case) -> list[str]:
    return [account.account for account in decided(of).alerts]


FULL = finding("disk:/data", "disk.full")


def test_a_fault_of_this_machine_is_not_blamed_for_an_alert_about_another_one() -> None:
    found = decided(case(("HostOutOfDiskSpace", ("host:db-99",)), findings=(FULL,)))
    assert found.verdict is Verdict.UNDETERMINED
    assert (found.alerts[0].account, found.alerts[0].by) == ("not_explained", "no source looks at db-99")
    assert "remote" in found.next_check and "db-99" in found.next_check
    assert found.hypotheses[0].fault == "disk.full" and NO_LINK in found.hypotheses[0].contradicts


def test_a_service_that_nothing_here_knows_is_not_explained_either() -> None:
    found = decided(case(("HighErrorRate", ("service:checkout",)), findings=(FULL,)))
    assert found.verdict is Verdict.UNDETERMINED
    assert "service checkout" in found.next_check and "log_globs" in found.next_check


def test_a_host_label_counts_for_more_than_a_service_of_the_name_that_runs_here() -> None:
    facts = (Fact("process", "process:nginx", {}),)
    of = case(("NginxDown", ("service:nginx", "host:db-99")), findings=(FULL,), facts=facts, on=(("db-99",),))
    assert decided(of).verdict is Verdict.UNDETERMINED


def test_this_machine_is_meant_by_any_of_its_names() -> None:
    for name in ("localhost", "vm1.example.org", "10.0.0.5"):
        found = decided(case(("HostOutOfDiskSpace", (f"host:{name}",)), findings=(FULL,)))
        assert (found.verdict, found.alerts[0].account) == (Verdict.ROOT_CAUSE, "explained")


def test_a_service_that_is_seen_here_suffers_from_what_the_machine_lacks() -> None:
    facts = (Fact("unit", "service:checkout", {}),)
    assert told(case(("HighErrorRate", ("service:checkout",)), findings=(FULL,), facts=facts)) == ["explained"]


def test_a_process_that_nothing_connects_with_a_service_is_no_cause_of_its_trouble() -> None:
    facts = (Fact("unit", "service:checkout", {}), Fact("process", "process:xm", {}))
    of = case(("HighErrorRate", ("service:checkout",)), findings=(finding("process:xm", "security.crypto_miner"),),
              facts=facts)  # fmt: skip
    assert decided(of).verdict is Verdict.UNDETERMINED


def test_a_process_explains_an_alert_of_its_machine_when_its_fault_leads_to_that_kind() -> None:
    miner, facts = (finding("process:xm", "security.crypto_miner"),), (Fact("process", "process:xm", {}),)
    assert told(case(("HostHighCpu", ("host:localhost",)), findings=miner, facts=facts)) == ["explained"]
    assert decided(case(("HostClockSkew", ("host:localhost",)), findings=miner, facts=facts)).verdict is (
        Verdict.UNDETERMINED
    )


def test_in_a_storm_each_alert_has_an_account_of_its_own() -> None:
    facts = (Fact("container", "container:api", {}), Fact("container", "container:web", {}))
    alerts = (("ContainerOom", ("container:api",)), ("HighErrorRate", ("container:web",)),
              ("CertExpired", ("certificate:shop.example",)), ("HostDown", ("host:db-99",)))  # fmt: skip
    of = case(
        *alerts, findings=(finding("container:api", "memory.oom_kill"),), facts=facts, edges=(Edge("web", "api"),)
    )
    assert told(of) == ["explained", "explained", "not_explained", "not_explained"]


def test_a_recorded_storm_has_a_second_hypothesis_for_what_the_first_does_not_explain() -> None:
    facts = (Fact("container", "container:api", {}), Fact("certificate", "certificate:shop.example", {}))
    alerts = (("ContainerOom", ("container:api",)), ("CertExpired", ("certificate:shop.example",)))
    findings = (finding("container:api", "memory.oom_kill"),
                finding("certificate:shop.example", "tls.certificate_expired", 0.9))  # fmt: skip
    found = decided(case(*alerts, findings=findings, facts=facts, seen=()))
    assert [account.account for account in found.alerts] == ["explained", "not_explained"]
    assert found.alerts[1].by == "second hypothesis: tls.certificate_expired of certificate:shop.example"
    assert found.hypotheses[1].fault == "tls.certificate_expired" and found.hypotheses[1].chain


def test_evidence_that_was_recorded_for_one_alert_is_about_it_whatever_it_is_called() -> None:
    assert told(case(("Odd", ("service:x",)), findings=(FULL,), seen=())) == ["consistent"]


def test_an_alert_that_names_nothing_may_come_of_what_is_found() -> None:
    assert told(case(("HostOutOfDiskSpace", ()), findings=(FULL,))) == ["explained"]
    assert told(case(("Odd", ()), findings=(FULL,))) == ["consistent"]


def test_a_finding_that_names_a_real_host_wins_over_the_host_that_alerted() -> None:
    of = case(("HostDown", ("host:db-99",)), findings=(finding("host:vm1", "network.unreachable"),), seen=())
    runbook = Runbook("network-unreachable", "", "network.unreachable", "network", "{entity}")
    (found,) = candidates(replace(of, knowledge=(runbook,)))
    assert found.entity == "host:vm1"


def test_a_remote_machine_is_called_as_its_own_facts_call_it() -> None:
    seen = learned((("vm1",), ("db1", "10.9.8.7")), (Fact("memory", "host:vm1", {}), Fact("load", "host:ip-9", {})))
    assert called("host:10.9.8.7", seen) == "host:ip-9" and called("host:web", seen) == "host:web"


def test_a_setting_that_was_there_long_before_the_alert_only_supports() -> None:
    strict = Signature("strict", "so it is", 0.7, state=StateTest("setting", (Condition("name", equals="x"),)))
    forks = Runbook("forks", "", "memory.overcommit_fork", "host", "{entity}", signatures=(strict,))
    found = replace(finding("host:vm1", "memory.overcommit_fork", 0.7), signature="forks/strict")
    of = replace(case(("HostMemoryHigh", ("host:vm1",)), findings=(found,)), knowledge=(forks,))
    assert decided(of).verdict is Verdict.UNDETERMINED and STOOD in decided(of).hypotheses[0].contradicts
    assert decided(replace(of, incident=replace(of.incident, seen=()))).verdict is Verdict.ROOT_CAUSE


def test_a_weak_sign_of_the_alerted_machine_is_no_cause_by_itself() -> None:
    of = case(("HostHighCpu", ("host:vm1",)), findings=(finding("process:xm", "security.crypto_miner", 0.45),),
              facts=(Fact("process", "process:xm", {}),))  # fmt: skip
    assert decided(of).verdict is Verdict.UNDETERMINED and WEAK in decided(of).hypotheses[0].contradicts


def test_what_runs_here_without_a_machine_s_name_is_not_called_by_the_machine_that_alerted() -> None:
    upgrade = Runbook("upgrade", "", "host.unattended_upgrade", "host", "{entity}")
    of = replace(case(("X", ("host:db-99",)), findings=(finding("service:history", "host.unattended_upgrade"),)),
                 knowledge=(upgrade,))  # fmt: skip
    assert [each.entity for each in candidates(of)] == ["host:vm1"]


def test_what_is_wrong_with_the_alerted_machine_is_no_cause_of_an_alert_of_another_kind() -> None:
    of = case(("HostClockSkew", ("host:vm1",)), findings=(finding("host:vm1", "memory.oom_kill"),))
    assert decided(of).verdict is Verdict.UNDETERMINED and OTHER_KIND in decided(of).hypotheses[0].contradicts


def test_the_one_that_is_linked_is_found_behind_any_number_that_are_not() -> None:
    loud = tuple(finding(f"certificate:c{n}.example", "tls.certificate_expired", 0.99) for n in range(30))
    of = case(("HostOutOfDiskSpace", ("host:vm1",)), findings=(*loud, finding("disk:/data", "disk.full", 0.6)))
    assert hypotheses(of, candidates(of))[30].fault == "disk.full"
    found = decided(of)
    assert (found.verdict, found.hypotheses[0].fault) == (Verdict.ROOT_CAUSE, "disk.full")


def test_none_is_lost_when_enough_are_linked() -> None:
    disks = tuple(finding(f"disk:/data{n}", "disk.full", 0.9) for n in range(MOST_HYPOTHESES + 4))
    apart = finding("certificate:shop.example", "tls.certificate_expired", 0.99)
    of = case(("HostOutOfDiskSpace", ("host:vm1",)), findings=(apart, *disks))
    ranked = hypotheses(of, candidates(of))
    ordered = Accounts(of).ordered(ranked)
    assert sorted((h.fault, h.entity) for h in ordered) == sorted((h.fault, h.entity) for h in ranked)
    assert all(h.fault == "disk.full" and h.linked for h in ordered[:MOST_HYPOTHESES])
    assert [h.entity for h in ordered if not h.linked] == ["certificate:shop.example"]
