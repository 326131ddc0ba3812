"""Every error we raise, sorted by who must act.

FishboneError
├── ToolError            told to the model; the investigation goes on
│   ├── ToolNotFound, InvalidToolInput, ToolDenied, ToolTimeout, ToolUnavailable
├── LimitExceeded        ends one agent's turn; what it found is kept
│   ├── StepLimit, TokenLimit, TimeLimit
├── RetryLater           told to the worker; the job comes back later
│   ├── StoreUnavailable
├── ModelFailed          told to the agent's loop: it concludes without this answer, and the report has a gap
├── FencedOff            told to the run: another worker has its investigation
├── NotDelivered         told to the herald: a notification waits or is given up
├── BadAlert             told to the sender, 4xx
│   ├── UnknownSource, UnreadablePayload, BadSignature
├── BadBundle            told to the person at the command line, exit 2, with file and place
└── BadConfiguration     told to the operator at start-up
    ├── InvalidAgentFile, InvalidRunbook, MissingSetting
"""


class FishboneError(Exception):
    """An error of ours; its text is one clear line for the one who must act."""


class ToolError(FishboneError):
    """A tool call that gave no result; its text tells the model how to do better."""

    status = "error"


class ToolNotFound(ToolError):
    """No such tool, or not one this agent may use."""

    status = "denied"


class InvalidToolInput(ToolError):
    """The arguments break the tool's schema or a business rule."""

    status = "invalid"


class ToolDenied(ToolError):
    """Policy refuses the call; the text names the rule."""

    status = "denied"


class ToolTimeout(ToolError):
    """The call did not end within its time."""

    status = "timeout"


class ToolUnavailable(ToolError):
    """The source behind the tool cannot be reached or broke."""

    status = "unavailable"


class LimitExceeded(FishboneError):
    """A budget is used up."""


class StepLimit(LimitExceeded):
    """An agent has made all the model calls it may make."""


class TokenLimit(LimitExceeded):
    """The token budget is used up."""


class TimeLimit(LimitExceeded):
    """The deadline has passed."""


class RetryLater(FishboneError):
    """Something needed is away for a while."""


class StoreUnavailable(RetryLater):
    """The database does not answer."""


class BadAlert(FishboneError):
    """A webhook body that cannot be taken."""


class UnknownSource(BadAlert):
    """No receiver has this name."""


class UnreadablePayload(BadAlert):
    """The body is not what this sender posts."""


class BadSignature(BadAlert):
    """The sender did not prove who it is."""


class BadBundle(FishboneError):
    """A recorded incident that cannot be read; the text names file, place and mend."""


class BadConfiguration(FishboneError):
    """Something the operator must set right before the start."""


class InvalidAgentFile(BadConfiguration):
    """An agent's file does not load."""


class InvalidRunbook(BadConfiguration):
    """A runbook does not load."""


class MissingSetting(BadConfiguration):
    """A setting that is needed is not set."""


class ModelFailed(FishboneError):
    """A model call that is given up; `kind` is its failure class (agents.gateway.failures)."""

    def __init__(self, kind: str, text: str, *, retry_after: float | None = None, status: int = 0) -> None:
        super().__init__(text)
        self.kind = kind
        self.retry_after = retry_after  # seconds that the provider asks us to wait
        self.status = status  # of HTTP; 0 where no answer came or it is none of HTTP's


class FencedOff(FishboneError):
    """Another worker has taken the investigation over; this run ends quietly and writes nothing more."""


class NotDelivered(FishboneError):
    """A channel did not take a notification."""

    def __init__(self, text: str, *, again: bool) -> None:
        super().__init__(text)
        self.again = again  # whether a later try may help
