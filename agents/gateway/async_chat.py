"""The chat models of our own that are asked over the network or in its place: what LangChain wants of them all."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict


class AsyncChat(BaseChatModel):
    """A chat model that takes tools or a schema and is asked asynchronously."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    @abstractmethod
    async def _reply(self, messages: list[BaseMessage], given: dict[str, Any], **bound: Any) -> AIMessage:
        """The answer; `given` is the metadata of the call's config, `bound` the tools or the schema."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,  # never sent: many servers refuse a forced choice
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer tools; the model alone decides whether it uses one."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs) if tools else self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise TypeError("asked asynchronously only: use ainvoke")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        given = dict(run_manager.metadata or {}) if run_manager else {}
        return ChatResult(generations=[ChatGeneration(message=await self._reply(messages, given, **kwargs))])
