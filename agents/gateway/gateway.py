"""The gateway: a chat model that asks an OpenAI-compatible server, and answers for whatever that server does."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx2
import openai
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from openai import Omit
from pydantic import SkipValidation

from agents.gateway.ask import Ask, Call, Who
from agents.gateway.async_chat import AsyncChat
from agents.gateway.failures import Failure, failed
from agents.gateway.known import Known
from agents.gateway.model import Model
from agents.gateway.request import Request, request
from agents.gateway.retry import answer, key_for, remember
from agents.gateway.settle import settled
from agents.gateway.structured import as_object, problem_of, repair
from agents.gateway.texts import json_object
from agents.gateway.tier import CallLog, Key, KeyPool, Tier
from agents.gateway.tokens import prompt_tokens
from agents.gateway.usage import is_implausible
from domain.errors import ModelFailed

_NEVER = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}  # the client takes them from the environment


class Gateway(AsyncChat):
    """What the loop calls. Of each call it owns the key, the retries, the deadline, the price and the log."""

    tier: SkipValidation[Tier]
    model: Model
    known: SkipValidation[Known]
    pool: SkipValidation[KeyPool]
    log: SkipValidation[CallLog]

    @property
    def window(self) -> int:
        """Tokens of prompt and answer together."""
        return self.known.window

    @property
    def _llm_type(self) -> str:
        return "fishbone-gateway"

    def estimate(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = ()) -> int:
        """Tokens that a prompt will take, corrected by what the server has counted so far."""
        return round(prompt_tokens(messages, tools) * self.known.correction)

    async def _reply(  # type: ignore[override]  # what else is bound is an error
        self,
        messages: list[BaseMessage],
        given: dict[str, Any],
        *,
        tools: Sequence[dict[str, Any]] = (),
        schema: dict[str, Any] | None = None,
    ) -> AIMessage:
        """Raises ModelFailed, with the failure class that the call is given up for."""
        if tools and schema is not None:
            raise ValueError("a call has tools or a schema, not both: servers that get both make no tool calls")
        ask = Ask(messages, Who.of(given), tuple(tools), schema)
        return await (self._call(ask) if schema is None else self._object(ask, schema))

    async def _object(self, ask: Ask, schema: dict[str, Any]) -> AIMessage:
        """An answer whose text is one JSON object; after one repair in vain the text that it is."""
        message = await self._call(ask)
        found = json_object(message.text)
        if (problem := problem_of(found, schema)) and not (found is None and _is_cut(message)):
            before = message.usage_metadata
            message = await self._call(repair(ask, message, problem))
            message.usage_metadata = add_usage(before, message.usage_metadata)
            found = json_object(message.text) or found
        if found is None and _is_cut(message):
            raise ModelFailed(Failure.TRUNCATED, "the answer was cut off at its limit of tokens, twice")
        return message if found is None else as_object(message, found)

    async def _call(self, ask: Ask) -> AIMessage:
        """One logged call, with as many attempts as it takes."""
        call = Call(ask, self.tier, self.estimate(ask.messages, ask.tools))
        try:
            message = await self._answered(call)
        except ModelFailed as exc:
            await self.log.add(call.record(exc.kind, self.window))
            raise
        except asyncio.CancelledError:  # whoever asked has stopped waiting
            await self.log.add(call.record(Failure.TIMEOUT, self.window))
            raise
        await self.log.add(call.record(_flaw(message), self.window))
        message.usage_metadata = call.paid
        return message

    async def _answered(self, call: Call) -> AIMessage:
        while True:
            call.key = await key_for(call, self.pool)
            sent = request(call, self.known)
            call.attempts += 1
            try:
                message = self._settled(call, await self._once(call, sent))
            except ModelFailed as exc:
                await answer(exc, call, sent, self.known, self.pool)
            else:
                remember(call, self.known)
                return message

    def _settled(self, call: Call, raw: AIMessage) -> AIMessage:
        """The answer, paid for and checked. Raises ModelFailed for one that is not to be used."""
        call.answered(raw)
        message = settled(raw, call)
        if raw.usage_metadata is None:
            call.answered(message)
        else:
            self._check(call, raw.usage_metadata)
        if _is_cut(message) and not call.limit:
            raise ModelFailed(Failure.TRUNCATED, "the answer was cut off at its limit of tokens")
        return message

    async def _once(self, call: Call, sent: Request) -> AIMessage:
        """One request. Raises ModelFailed."""
        seconds = min(self.tier.timeout_seconds, call.left)
        if seconds <= 0:
            raise ModelFailed(Failure.TIMEOUT, "the time of the call is used up")
        given: dict[str, Any] = {self.known.profile.token_field: sent.limit, "extra_body": sent.body}
        if sent.tools:
            given["tools"] = sent.tools
        try:
            async with asyncio.timeout(seconds):
                result = await self.model._agenerate(
                    sent.messages, extra_headers={**_NEVER, **_authorization(call.key)}, timeout=seconds, **given
                )
        except (ModelFailed, openai.OpenAIError, httpx2.HTTPError, TimeoutError) as exc:
            raise _masked(failed(exc), call.key) from exc
        [generation] = result.generations
        return generation.message  # type: ignore[return-value]

    def _check(self, call: Call, usage: UsageMetadata) -> None:
        """Learn from what the server counted. Raises ModelFailed where it cannot have read the whole prompt."""
        cached = usage.get("input_token_details", {}).get("cache_read") or 0
        counted = max(usage["input_tokens"], cached)  # some leave out of the count what they had cached
        if is_implausible(call.estimated, counted):
            self.known.fits(counted + usage["output_tokens"])
            raise ModelFailed(
                Failure.CONTEXT_OVERFLOW,
                f"the server read {counted} of about {call.estimated} tokens: it drops what does not fit its window",
            )
        self.known.counted(call.estimated, counted)


def _authorization(key: Key) -> dict[str, Any]:
    secret = key.secret.get_secret_value()
    return {"Authorization": f"Bearer {secret}" if secret else Omit()}


def _masked(failure: ModelFailed, key: Key) -> ModelFailed:
    """Without the key, which some servers tell in their errors."""
    secret = key.secret.get_secret_value()
    text = str(failure).replace(secret, "[key]") if len(secret) > 3 else str(failure)
    return ModelFailed(failure.kind, text, retry_after=failure.retry_after, status=failure.status)


def _is_cut(message: AIMessage) -> bool:
    return bool(message.response_metadata.get("finish_reason") == "length")


def _flaw(message: AIMessage) -> str:
    """What is wrong with an answer that is used all the same."""
    if _is_cut(message):
        return Failure.TRUNCATED
    return Failure.MALFORMED if message.invalid_tool_calls else ""
