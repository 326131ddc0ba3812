"""The gateway: a chat model that asks an OpenAI-compatible server, and answers for whatever that server does."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai.chat_models.base import BaseChatOpenAI

from agents.gateway.tier import Tier


class Gateway(BaseChatModel):
    """What the loop calls. Of each call it owns the key, the retries, the deadline, the price and the log."""

    tier: Tier
    model: BaseChatOpenAI
    pool: Any  # KeyPool
    log: Any  # CallLog
    window: int  # tokens of prompt and answer together

    @property
    def _llm_type(self) -> str:
        return "fishbone-gateway"

    def estimate(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = ()) -> int:
        """Tokens that a prompt will take."""
        return sum(len(str(message.content)) for message in messages) // 3 + sum(len(str(tool)) for tool in tools) // 3

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
        raise TypeError("the gateway is asynchronous: use ainvoke")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        result = await self.model._agenerate(messages, **kwargs)
        message = result.generations[0].message
        return ChatResult(generations=[ChatGeneration(message=message)])
