"""A surge at something inside counts only where its callers surge, too."""

from datetime import UTC, datetime, timedelta

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.measured.amplified import AMPLIFIED, discount_inner_surges
from domain.alert import Incident, Window
from domain.evidence import Finding
from domain.results import Edge

FIRED = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
EDGE = (Edge("web", "stock"),)


def case(*surging: str, edges: tuple[Edge, ...] = EDGE) -> Case:
    findings = tuple(Finding(f"service:{name}", "load.surge", "more requests", (), weight=0.5) for name in surging)
    incident = Incident("i", "t", FIRED, Window(FIRED - timedelta(hours=1), FIRED), "UTC", ())
    return Case(incident, ("service:web",), findings, (), (), Inventory.build((), edges), (), edges=edges)


def weights(of: Case) -> dict[str, float]:
    return {finding.entity: finding.weight for finding in discount_inner_surges(of).findings}


def test_load_that_no_caller_has_is_made_in_between() -> None:
    assert weights(case("stock")) == {"service:stock": pytest.approx(0.5 * AMPLIFIED)}


def test_a_surge_from_outside_keeps_its_weight() -> None:
    assert set(weights(case("web", "stock")).values()) == {0.5}
    assert weights(case("web")) == {"service:web": 0.5}
    assert weights(case("stock", edges=())) == {"service:stock": 0.5}
