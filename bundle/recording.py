"""The flight recording: every tool call of a run and what it gave, every reply of a model, to replay the run without
its sources and without the model."""

import hashlib
import json
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from bundle.bundle import CALLS, REPLIES, Bundle
from domain.codec import Json, digest, dumps, from_plain
from domain.errors import BadBundle
from domain.evidence import Coverage

T = TypeVar("T")
RESULTS = "results"
CONTRACT = "contract.json"
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CallRecord:
    """One call as it went through the hub, refusals and failures too."""

    call_id: str
    agent: str
    tool: str
    arguments: dict[str, Json]
    status: str
    error: str = ""
    sha256: str = ""  # of the canonical JSON of its data, the name of its file under results/; empty: no data
    coverage: Coverage | None = None
    text: str = ""  # what a model saw
    truncated: bool = False
    version: str = ""
    started_at: str = ""  # RFC 3339
    seconds: float = 0.0
    redactions: int = 0


@dataclass(frozen=True)
class ReplyRecord:
    """One reply of a model, or how the call failed."""

    agent: str
    turn: int  # of the agent, from 0
    model: str  # as the settings call it
    request: str  # digest of what was asked: messages without ids, and which tools were offered
    tools: bool  # whether tools were offered
    reply: Json = None  # content, tool_calls, invalid_tool_calls, usage; null where the call failed
    failure: str = ""  # failure class
    error: str = ""
    window: int = 0  # of the model, in tokens
    correction: float = 1.0  # of our estimate of tokens, when it was asked
    cost: float = 0.0
    started_at: str = ""  # RFC 3339
    seconds: float = 0.0


@dataclass(frozen=True)
class Answer:
    """What a recorded call gave."""

    record: CallRecord
    data: Json


@dataclass
class Recording:
    """The calls of one run, handed out again in the order in which they were made."""

    calls: tuple[CallRecord, ...]
    results: Mapping[str, Json]
    contract: Json = None
    replies: tuple[ReplyRecord, ...] = ()
    missed: int = 0  # calls that the recording could not answer
    _waiting: dict[str, deque[CallRecord]] = field(default_factory=lambda: defaultdict(deque))

    def __post_init__(self) -> None:
        for call in self.calls:
            self._waiting[_key(call.agent, call.tool, call.arguments)].append(call)

    def answer(self, agent: str, tool: str, arguments: dict[str, Json]) -> Answer | None:
        """The next recorded answer to this very call; the last one again when it is asked more often; else None."""
        waiting = self._waiting.get(_key(agent, tool, arguments))
        if not waiting:
            self.missed += 1
            return None
        call = waiting.popleft() if len(waiting) > 1 else waiting[0]
        return Answer(call, self.results.get(call.sha256))


def write_recording(
    folder: Path,
    calls: Iterable[CallRecord],
    results: Mapping[str, Json],
    contract: Json = None,
    replies: Iterable[ReplyRecord] = (),
) -> None:
    """Writes calls.jsonl, results/<sha256>, contract.json, and models.jsonl where a model was asked, into the folder.
    Equal runs give equal results/."""
    (folder / RESULTS).mkdir(exist_ok=True)
    lines = [dumps(call) for call in calls]
    (folder / CALLS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for sha256, data in sorted(results.items()):
        (folder / RESULTS / sha256).write_bytes(dumps(data).encode("utf-8", "surrogatepass"))
    (folder / CONTRACT).write_text(f"{dumps(contract or {})}\n", encoding="utf-8")
    if said := [dumps(reply) for reply in replies]:
        (folder / REPLIES).write_bytes("".join(f"{line}\n" for line in said).encode("utf-8", "surrogatepass"))


def read_recording(bundle: Bundle) -> Recording:
    """The recording in the bundle. Raises BadBundle for a call or result that is not what was recorded."""
    calls = tuple(_call(number, plain) for number, plain in enumerate(bundle.read_jsonl(CALLS), 1))
    said = bundle.read_jsonl(REPLIES) if bundle.exists(REPLIES) else []
    replies = tuple(_record(ReplyRecord, REPLIES, number, plain) for number, plain in enumerate(said, 1))
    wanted = sorted({call.sha256 for call in calls if call.sha256})
    results = {sha256: _result(bundle, sha256) for sha256 in wanted}
    contract = bundle.read_json(CONTRACT) if bundle.exists(CONTRACT) else None
    return Recording(calls, results, contract, replies)


def _record(of: type[T], file: str, number: int, plain: Json) -> T:
    try:
        return from_plain(of, plain)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise BadBundle(f"{file}:{number}: {place}: {first['msg']}; record the run again") from exc


def _call(number: int, plain: Json) -> CallRecord:
    call = _record(CallRecord, CALLS, number, plain)
    if call.sha256 and not _SHA256.fullmatch(call.sha256):
        raise BadBundle(f"{CALLS}:{number}: sha256: no such hash; record the run again")
    return call


def _result(bundle: Bundle, sha256: str) -> Json:
    name = f"{RESULTS}/{sha256}"
    raw = bundle.read_bytes(name)
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise BadBundle(f"{name}: is not what was recorded (its hash differs); record the run again")
    try:
        return json.loads(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as exc:
        raise BadBundle(f"{name}: broken JSON: {exc}; record the run again") from exc


def _key(agent: str, tool: str, arguments: dict[str, Json]) -> str:
    return digest([agent, tool, arguments])
