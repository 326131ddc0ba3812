"""A flight recording as the hub's source: what was answered then is answered now, nothing else."""

import json

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

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.unanswered: list[str] = []

    async def answer(self, call: Passing) -> Json:
        """What this agent was answered to this call. Raises the recorded failure, or ToolUnavailable."""
        found = self._recording.answer(call.caller.agent, call.tool, call.arguments)
        if found is None:
            self.unanswered.append(
                f"{call.caller.agent}: {call.tool} {json.dumps(call.arguments, sort_keys=True)[:120]}"
            )
            raise ToolUnavailable(f"the recording holds no answer to {call.tool} with these arguments")
        if found.status not in ("ok", "no_data"):
            raise _ERRORS.get(found.status, ToolNotFound)(found.error)
        return found.data
