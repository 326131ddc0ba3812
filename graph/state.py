"""The state of an investigation: few keys, one writer each, plain JSON made by domain's codec.

| key       | writer     | readers            | what                                                            |
| --------- | ---------- | ------------------ | --------------------------------------------------------------- |
| incident  | the caller | all                | domain.alert.Incident                                           |
| by        | the caller | route, report      | whose pass this is: `analyst`, or a model's name                |
| plan      | plan       | route              | domain.plan.Plan                                                |
| first     | the caller | report             | domain.diagnosis.Diagnosis of the first pass; a second one only |
| evidence  | agents     | root_cause, report | domain.evidence.Evidence, appended in parallel; earlier passes' |
| diagnosis | root_cause | report             | domain.diagnosis.Diagnosis                                      |
| passages  | root_cause | report             | domain.results.Passage found for the top hypotheses             |
| look      | root_cause | route, root_cause  | domain.plan.Look: the second look that it asks for, at most one |
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
    first: Json
    plan: Json
    evidence: Annotated[list[Json], operator.add]
    diagnosis: Json
    passages: list[Json]
    look: Json
    report: Json


class Branch(TypedDict):
    """What one agent's branch is sent."""

    task: Json
    by: str
    look: int  # 1: the first look, 2: the second
    beside: int  # branches of this look, this one counted: they share its tokens
