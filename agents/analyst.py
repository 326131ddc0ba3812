"""The offline analyst: a chat model of our own, without network. It reads the task and the artifacts, nothing else."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from agents.messages import conclusion, observations, task_of
from agents.tactic import Knowledge, Observation, Step, ToolCalls
from domain.evidence import Evidence

NAME = "analyst"


class OfflineAnalyst(BaseChatModel):
    """Answers with the next tool calls of a tactic, or with its Evidence."""

    tactic: Step
    knowledge: Knowledge

    @property
    def _llm_type(self) -> str:
        return "fishbone-offline-analyst"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The tactic knows its tools; what is bound only says whether calls may still be made."""
        return self.bind(tools_bound=bool(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        tools_bound: bool = False,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(list(messages), tools_bound))])  # type: ignore[arg-type]

    def _answer(self, messages: list[AnyMessage], tools_bound: bool) -> AIMessage:
        task, seen = task_of(messages), observations(messages)
        step = self.tactic(task, seen, self.knowledge)
        if isinstance(step, ToolCalls) and not tools_bound:
            # No more calls: the tactic concludes with those it still wanted answered by a refusal.
            refused = tuple(
                Observation(f"refused.{n}", call.tool, call.arguments, "denied", error="no calls are left")
                for n, call in enumerate(step.calls)
            )
            step = self.tactic(task, seen + refused, self.knowledge)
        if isinstance(step, Evidence):
            return conclusion(step)
        calls = [
            {"name": call.tool, "args": call.arguments, "id": f"call-{len(seen) + n}", "type": "tool_call"}
            for n, call in enumerate(step.calls)
        ]
        return AIMessage("", tool_calls=calls)
