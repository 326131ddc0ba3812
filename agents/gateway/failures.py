"""The failure classes of a model call, and which of them an error of the provider's is."""

from enum import StrEnum


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
