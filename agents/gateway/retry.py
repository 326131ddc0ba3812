"""The one place that retries: what is done about each failure class, within the deadline of the call."""

import asyncio
import logging
import random
import re
from dataclasses import dataclass, replace
from typing import Final

from agents.gateway.ask import Call
from agents.gateway.failures import Failure
from agents.gateway.known import Known
from agents.gateway.profiles import Rung, learned, lower
from agents.gateway.request import Request
from agents.gateway.tier import Key, KeyPool, Wait
from domain.errors import ModelFailed

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rule:
    """How often an attempt that failed so is made again, and after which pause (it doubles)."""

    times: int
    pause: float = 0.0


RULES: Final = {
    Failure.RATE_LIMIT: Rule(6, 1.0),  # the key rests; another one is used at once
    Failure.OVERLOAD: Rule(3, 0.5),
    Failure.CONNECTION: Rule(3, 0.5),
    Failure.TIMEOUT: Rule(1),
    Failure.MALFORMED: Rule(2, 0.2),
    Failure.AUTH: Rule(50),  # the key is disabled, or rests; as often as there are others
    Failure.BUDGET: Rule(50),
    Failure.BAD_REQUEST: Rule(0),  # but for what it teaches
    Failure.CONTEXT_OVERFLOW: Rule(0),  # the loop compacts
    Failure.REFUSAL: Rule(0),
    Failure.TRUNCATED: Rule(0),  # its limit was raised before
}
_LESSONS: Final = 5  # of one call
_LONG_REST: Final = 3600.0  # seconds, of a key without money or without leave
_LONGEST_PAUSE: Final = 30.0
_WINDOW: Final = re.compile(r"(?:context (?:length|size|window)|n_ctx)[^\d]{0,40}(\d{3,8})", re.IGNORECASE)
_LEAST_ANSWER: Final = 256  # tokens


async def key_for(call: Call, pool: KeyPool) -> Key:
    """A key, waited for where all rest. Raises ModelFailed when none is free in time."""
    while isinstance(found := await pool.take(call.ask.who.investigation), Wait):
        if found.seconds >= call.left:
            raise ModelFailed(found.failure, f"all keys of the tier {call.tier.name} rest for {found.seconds:.0f} s")
        await asyncio.sleep(max(found.seconds, 0.01))
    return found


async def answer(failure: ModelFailed, call: Call, sent: Request, known: Known, pool: KeyPool) -> None:
    """Make another attempt possible. Raises the failure when there is to be none."""
    kind = Failure(failure.kind)
    call.met[kind] += 1
    if _teaches(failure, call, sent, known):
        return
    await _tell(pool, call, failure)
    if call.met[kind] > RULES[kind].times:
        raise failure
    pause = _pause(failure, call)
    log.warning("%s: %s; trying again", call.tier.model, failure)
    await asyncio.sleep(pause)


def _teaches(failure: ModelFailed, call: Call, sent: Request, known: Known) -> bool:
    """Whether the request can be made in another way from now on, or at least this once."""
    if failure.kind == Failure.TRUNCATED and not call.limit:
        call.limit = 2 * sent.limit
        return True
    if failure.kind == Failure.CONTEXT_OVERFLOW:
        return _shorter_answer(failure, call, sent, known)
    if failure.kind == Failure.BAD_REQUEST and call.met[Failure.BAD_REQUEST] <= _LESSONS:
        now = replace(known.profile, max_output=sent.limit)
        new = learned(now, str(failure), sent.body)
        if new is not None and new != now:
            log.warning("%s: %s; asking in another way from now on", call.tier.model, failure)
            if new.max_output < sent.limit:
                call.limit = known.max_output = new.max_output
            known.profile = new
            return True
    return _steps_down(failure, call, sent)


def _shorter_answer(failure: ModelFailed, call: Call, sent: Request, known: Known) -> bool:
    """Whether only prompt and answer together were too long: the window is known now, and the answer is cut to it."""
    told = _WINDOW.search(str(failure))
    if told is None:
        return False
    window = int(told[1])
    known.fits(window)
    room = window - round(1.1 * call.estimated)
    if call.met[Failure.CONTEXT_OVERFLOW] > 1 or room < _LEAST_ANSWER or room >= sent.limit:
        return False
    call.limit = room
    return True


def _steps_down(failure: ModelFailed, call: Call, sent: Request) -> bool:
    """An error that does not say why, and a form of answer that may be why: this call goes on without it."""
    opaque = failure.kind == Failure.BAD_REQUEST or (
        failure.status == 500 and call.met[Failure.OVERLOAD] > RULES[Failure.OVERLOAD].times
    )
    if not opaque or sent.rung in (None, Rung.TEXT):
        return False
    log.warning("%s: %s; asking without response_format %s", call.tier.model, failure, sent.rung)
    call.below = sent.rung
    return True


def remember(call: Call, known: Known) -> None:
    """It worked without a form of answer that it was given up for: so that one was to blame."""
    if call.below is not None:
        known.profile = lower(known.profile, call.below)


async def _tell(pool: KeyPool, call: Call, failure: ModelFailed) -> None:
    """What concerns the key, and so everybody who uses it."""
    if failure.kind == Failure.AUTH and failure.status == 401:
        await pool.disable(call.key, str(failure))
    elif failure.kind in (Failure.AUTH, Failure.BUDGET):
        await pool.rest(call.key, failure.retry_after or _LONG_REST, failure.kind)
    elif failure.kind == Failure.RATE_LIMIT or failure.retry_after is not None:
        # a server that says 0 is not asked six times within a moment
        await pool.rest(call.key, max(failure.retry_after or 0.0, _growing(call, failure)), failure.kind)


def _pause(failure: ModelFailed, call: Call) -> float:
    """Seconds; a key that rests is waited for when one is taken."""
    if failure.retry_after is not None or failure.kind in (Failure.RATE_LIMIT, Failure.AUTH, Failure.BUDGET):
        return 0.0
    seconds = _growing(call, failure)
    if seconds >= call.left:
        raise failure
    return seconds


def _growing(call: Call, failure: ModelFailed) -> float:
    """Doubles from time to time; with chance, so that workers do not come back all at once."""
    kind = Failure(failure.kind)
    doubled = RULES[kind].pause * 2.0 ** (call.met[kind] - 1)
    return min(doubled, _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
