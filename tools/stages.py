"""The stages every call passes, one short function each. `tools.hub.STAGES` shows their order."""

import asyncio
import json
import logging
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator

from analysis.budget import cut
from domain.codec import Json, dumps
from domain.errors import InvalidToolInput, ToolDenied, ToolNotFound, ToolTimeout, ToolUnavailable
from domain.tool import Access
from tools.call import Governance, Passing
from tools.rules import check_rules
from tools.views.table import VIEWS

log = logging.getLogger(__name__)
PLACEHOLDER: Final = "[redacted:"
BACKOFF_SECONDS: Final = 0.1
DEFAULT_FILTERS: Final = ("tail_n", "top", "max_points", "max_chars")


async def resolve(call: Passing, by: Governance) -> Passing:
    """Find the tool; the agent's file and the registry must both grant it."""
    spec = by.registry.get(call.tool)
    granted = by.grants.get(call.caller.agent, frozenset())
    meant = spec is not None and (not spec.roles or call.caller.agent in spec.roles)
    if spec is None or call.tool not in granted or not meant:
        usable = ", ".join(sorted(granted & by.registry.keys())) or "none"
        raise ToolNotFound(f"{call.caller.agent} has no tool {call.tool!r}; its tools are: {usable}")
    arguments = call.arguments if by.limits.source_filters else _opened(call.arguments, spec.input_schema)
    return replace(call, spec=spec, arguments=arguments)


async def authorize(call: Passing, by: Governance) -> Passing:
    """The caller's scopes must hold the tool's access; nothing beyond read and propose exists."""
    needed = call.known.access
    if needed not in (Access.READ, Access.PROPOSE) or needed.value not in call.caller.scopes:
        raise ToolDenied(f"{call.caller.identity} lacks the scope {needed.value!r} that {call.tool} needs")
    return call


async def validate(call: Passing, by: Governance) -> Passing:
    """JSON Schema without extra properties, then the business rules."""
    validator = _validator(json.dumps(call.known.input_schema, sort_keys=True))
    problem = next(iter(sorted(validator.iter_errors(call.arguments), key=lambda e: list(map(str, e.path)))), None)
    if problem is not None:
        at = "/".join(map(str, problem.path)) or "the arguments"
        raise InvalidToolInput(f"{call.tool}: {at}: {problem.message[:200]}")
    check_rules(call.tool, call.arguments)
    return call


async def execute(call: Passing, by: Governance) -> Passing:
    """Ask the source, within the time-out; time-outs and broken sources are tried again, nothing else is."""
    spec = call.known
    for attempt in range(spec.retries + 1):
        try:
            async with asyncio.timeout(spec.timeout_seconds):
                return replace(call, data=await by.source.answer(call))
        except TimeoutError as exc:
            failure: Exception = ToolTimeout(f"{call.tool} gave no answer within {spec.timeout_seconds:g} s")
            failure.__cause__ = exc
        except (ToolTimeout, ToolUnavailable) as exc:
            failure = exc
        if attempt == spec.retries:
            raise failure
        await asyncio.sleep(BACKOFF_SECONDS * 2**attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")


async def redact(call: Passing, by: Governance) -> Passing:
    """What leaves this stage is what is stored, hashed, recorded, quoted and shown."""
    data = by.redactor.redact_json(call.data)
    return replace(call, data=data, redactions=dumps(data).count(PLACEHOLDER))


async def transform(call: Passing, by: Governance) -> Passing:
    """Compact text of the typed result: the tool's view."""
    text = VIEWS[call.known.view](call.data) if by.limits.views else plain(call.data)
    return replace(call, text=text, original_chars=len(text))


async def budget(call: Passing, by: Governance) -> Passing:
    """Keep the first 60 % and the last 40 % of what the allowance holds."""
    if not by.limits.budgets:
        return call
    kept = cut(call.text, call.allowance, call.call_id)
    if kept.was_cut:
        log.warning("%s: %s gave %d characters, %d were kept", call.call_id, call.tool, kept.original, call.allowance)
    return replace(call, text=kept.text, truncated=kept.was_cut)


def _opened(arguments: dict[str, Json], schema: dict[str, Json]) -> dict[str, Json]:
    """Layer 1 off: every count that was left to its default becomes the most that the tool allows."""
    counts = {
        name: facts["maximum"]
        for name, facts in schema.get("properties", {}).items()
        if name in DEFAULT_FILTERS and name not in arguments and "maximum" in facts
    }
    return counts | arguments


def plain(data: Json) -> str:
    """The data as indented JSON, for when views are switched off."""
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Any:
    return Draft202012Validator({**json.loads(schema_text), "additionalProperties": False})
