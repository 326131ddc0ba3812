"""One call of a language model, as it is logged: who asked, what it cost, and how it ended."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class CallRecord:
    """One row of model_call_log. It holds no text: what was said stays in the checkpoints and the recording."""

    investigation: str  # id; of a call outside any, what stands for one (`doctor`)
    agent: str
    turn: int  # of the agent, from 0
    model: str  # as the settings call it
    tier: str  # fast | deep
    started_at: datetime  # aware UTC
    seconds: float  # with all attempts and the waiting between them
    prompt_tokens: int  # what the server counted, else our estimate
    completion_tokens: int
    estimated: int  # our estimate of the prompt, made before the call
    window_share: float  # of the model's window that the prompt took, 0..1; over 1 where it did not fit
    cost: float  # in the currency of the prices in the settings; 0 without prices
    failure: str  # failure class; empty when all was well
    attempts: int  # HTTP requests
    key: str  # short hash of the key that was used last; empty without a key
