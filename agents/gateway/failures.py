"""The failure classes of a model call, and which of them an error of the provider's is."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Final

import httpx2
import openai

from domain.errors import ModelFailed


class Failure(StrEnum):
    """Why a call failed. What is done about each stands in `agents.gateway.retry`."""

    RATE_LIMIT = "rate_limit"
    OVERLOAD = "overload"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    AUTH = "auth"
    CONTEXT_OVERFLOW = "context_overflow"
    BAD_REQUEST = "bad_request"
    REFUSAL = "refusal"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    BUDGET = "budget"


_OVERFLOW: Final = re.compile(
    r"context_length_exceeded|maximum context length|context (?:window|length|size)|exceed_context_size"
    r"|prompt is too long|input tokens exceed|too many (?:input )?tokens|range of input length"
    r"|exceeds? the (?:model's )?(?:maximum|available)",
    re.IGNORECASE,
)
_NO_MONEY: Final = re.compile(
    r"insufficient[_ ](?:quota|balance|funds|credit)|exceeded your current quota|arrearage|billing|payment required",
    re.IGNORECASE,
)
_REFUSED: Final = re.compile(r"content[_ ](?:filter|policy)|data_?inspection_?failed|responsible ai", re.IGNORECASE)
_BUSY: Final = re.compile(r"rate.?limit|too many requests|throttl", re.IGNORECASE)
_BY_STATUS: Final = {
    401: Failure.AUTH,
    402: Failure.BUDGET,
    403: Failure.AUTH,
    408: Failure.TIMEOUT,
    413: Failure.CONTEXT_OVERFLOW,
    425: Failure.OVERLOAD,
    429: Failure.RATE_LIMIT,
}
_LONGEST_WAIT: Final = 86_400.0  # what a header asks for beyond is nonsense
_SHOWN: Final = 300  # characters of what a provider says


def failed(exc: Exception) -> ModelFailed:
    """The error of one request, sorted into its class. What it says of the key is masked by the caller."""
    if isinstance(exc, ModelFailed):
        return exc
    if isinstance(exc, TimeoutError | openai.APITimeoutError | httpx2.TimeoutException):
        return ModelFailed(Failure.TIMEOUT, "the model did not answer in time")
    if isinstance(exc, openai.APIStatusError):
        return by_status(exc.status_code, _told(exc), exc.response.headers)
    if isinstance(exc, openai.APIConnectionError | httpx2.HTTPError):
        return ModelFailed(Failure.CONNECTION, f"no connection to the model's server: {_cause(exc)}")
    return ModelFailed(Failure.MALFORMED, f"the answer cannot be read: {_short(str(exc))}")


def by_status(status: int, said: str, headers: Mapping[str, str] | None = None) -> ModelFailed:
    """An answer with an error status, or an error object with such a code."""
    kind = _kind(status, said)
    text = f"the model's server answers {status}: {_short(said)}" if status else f"the server says: {_short(said)}"
    return ModelFailed(kind, text, retry_after=retry_after(headers or {}), status=status)


def by_error_object(error: object) -> ModelFailed:
    """An error object that came with status 200, as aggregators send it."""
    given = error if isinstance(error, Mapping) else {"message": error}
    code = str(given.get("code") or given.get("status") or "")
    status = int(code) if re.fullmatch(r"[45]\d\d", code) else 0
    told = " ".join(str(given[key]) for key in ("message", "code", "type") if given.get(key))
    return by_status(status, told or _short(str(error)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a provider asks us to wait; None where it does not, or says it in a way that nobody can read."""
    low = {name.lower(): value for name, value in headers.items()}
    if "retry-after-ms" in low:
        return _bounded(low["retry-after-ms"], 1000.0)
    told = low.get("retry-after", "")
    seconds = _bounded(told, 1.0)
    return seconds if seconds is not None or not told else _until(told)


def _kind(status: int, said: str) -> Failure:
    if _NO_MONEY.search(said) and status in (0, 400, 402, 403, 429):
        return Failure.BUDGET
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if _OVERFLOW.search(said):
        return Failure.CONTEXT_OVERFLOW
    if _REFUSED.search(said):
        return Failure.REFUSAL
    if status == 0:
        return Failure.RATE_LIMIT if _BUSY.search(said) else Failure.MALFORMED
    return Failure.OVERLOAD if status >= 500 else Failure.BAD_REQUEST


def _told(exc: openai.APIStatusError) -> str:
    """Message, code and type of the error object; of a page its beginning."""
    body = exc.body if isinstance(exc.body, Mapping) else {}
    parts = [str(exc.message), *(str(body[key]) for key in ("code", "type") if body.get(key))]
    return " ".join(dict.fromkeys(parts))


def _cause(exc: BaseException) -> str:
    return _short(str(exc.__cause__ or exc) or type(exc.__cause__ or exc).__name__)


def _short(text: str) -> str:
    plain = " ".join(re.sub(r"<[^>]{0,200}>", " ", text).split())
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"


def _bounded(text: str, unit: float) -> float | None:
    try:
        seconds = float(text) / unit
    except ValueError:
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else None


def _until(text: str) -> float | None:
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return min(max((aware - datetime.now(UTC)).total_seconds(), 0.0), _LONGEST_WAIT)
