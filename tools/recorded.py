"""A flight recording as the hub's source: what was answered then is answered now, nothing else."""

import json

from analysis.secrets.redaction import Redactor
from bundle.recording import Recording
from domain.codec import Json
from domain.errors import InvalidToolInput, ToolDenied, ToolError, ToolNotFound, ToolTimeout, ToolUnavailable
from tools.call import Passing

_ERRORS: dict[str, type[ToolError]] = {
    "timeout": ToolTimeout,
    "unavailable": ToolUnavailable,
    "invalid": InvalidToolInput,
    "denied": ToolDenied,
}


class RecordedSource:
    """Answers calls from a recording and counts those it cannot."""

    def __init__(self, recording: Recording, redactor: Redactor) -> None:
        self._recording = recording
        self._redactor = redactor  # arguments were recorded redacted
        self.unanswered: list[str] = []

    async def answer(self, call: Passing) -> Json:
        """What this agent was answered to this call. Raises the recorded failure, or ToolUnavailable."""
        asked = self._redactor.redact_json(call.arguments)
        found = self._recording.answer(call.caller.agent, call.tool, asked)
        if found is None:
            self.unanswered.append(
                f"{call.caller.agent}: {call.tool} {json.dumps(call.arguments, sort_keys=True)[:120]}"
            )
            raise ToolUnavailable(f"the recording holds no answer to {call.tool} with these arguments")
        if found.record.status not in ("ok", "no_data"):
            raise _ERRORS.get(found.record.status, ToolNotFound)(found.record.error)
        return found.data
