"""How far a model and the analyst go together is told as it is, also where one of them sees nothing wrong."""

import pytest

from domain.report import Opinion
from graph.second_opinion import agreement
from tests.analysis.test_hypotheses import case


def says(verdict: str, entity: str = "container:web", fault: str = "memory.oom_kill") -> Opinion:
    return Opinion("one", verdict, entity, fault, 0.4)


@pytest.mark.parametrize(
    ("analyst", "model", "told"),
    [
        (says("root_cause"), says("root_cause"), "cause"),
        (says("root_cause"), says("root_cause", fault="disk.full"), "entity"),
        (says("root_cause"), says("root_cause", "container:db"), "none"),
        (says("root_cause"), says("undetermined"), "open"),
        (says("healthy", fault="none.healthy"), says("undetermined"), "open"),
        (says("healthy", fault="none.healthy"), says("root_cause"), "none"),
        (says("undetermined"), says("root_cause"), "none"),
        (says("undetermined"), says("undetermined", "container:db"), "verdict"),
    ],
)
def test_agreement(analyst: Opinion, model: Opinion, told: str) -> None:
    assert agreement(analyst, model, case()) == told
