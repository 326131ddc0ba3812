"""The state of an investigation: few keys, one writer each, plain JSON made by domain's codec.

| key       | writer     | readers            | what                                                            |
| --------- | ---------- | ------------------ | --------------------------------------------------------------- |
| incident  | the caller | all                | domain.alert.Incident                                           |
| by        | the caller | route, report      | whose pass this is: `analyst`, or a model's name                |
| plan      | plan       | route              | domain.plan.Plan                                                |
| evidence  | agents     | root_cause, report | domain.evidence.Evidence, appended in parallel; earlier passes' |
| diagnosis | root_cause | report             | domain.diagnosis.Diagnosis                                      |
| passages  | root_cause | report             | domain.results.Passage found for the top hypotheses             |
| report    | report     | the caller         | domain.report.Report without its calls                          |

Hub, models, knowledge, clock travel as context (`graph.context.Work`), not as state.
"""

import operator
from typing import Annotated, TypedDict

from domain.codec import Json


class Investigation(TypedDict, total=False):
    """One run of the graph over an incident."""

    incident: Json
    by: str
    plan: Json
    evidence: Annotated[list[Json], operator.add]
    diagnosis: Json
    passages: list[Json]
    report: Json


class Branch(TypedDict):
    """What one agent's branch is sent."""

    task: Json
    by: str
