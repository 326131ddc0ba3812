"""A scripted model: says what it was told to say, and fails on a call that was not foreseen."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import Field


class ScriptedModel(BaseChatModel):
    """Answers in order; the last answer again and again where `endless`."""

    answers: list[Any]  # AIMessage or Exception
    endless: bool = False
    bound: list[bool] = Field(default_factory=list)  # of every call: whether tools were bound
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    callers: list[dict[str, Any]] = Field(default_factory=list)  # of every call: the metadata that came with it

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools_bound=bool(tools))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        tools_bound: bool = False,
        **kwargs: Any,
    ) -> ChatResult:
        at = len(self.bound)
        self.bound.append(tools_bound)
        self.seen.append(messages)
        self.callers.append(dict(run_manager.metadata or {}) if run_manager else {})
        if at >= len(self.answers) and not self.endless:
            raise AssertionError(f"call {at + 1} was not foreseen")
        answer = self.answers[min(at, len(self.answers) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy())])
