"""A governed tool call and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from domain.codec import Json
from domain.evidence import Coverage


class Access(StrEnum):
    """What a tool may do. Nothing that changes anything can be reached by a model."""

    READ = "read"
    PROPOSE = "propose"


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the registry knows it. The facts come from its own decorator, never from a foreign server."""

    name: str
    server: str
    description: str
    input_schema: dict[str, Json]
    access: Access = Access.READ
    risk: str = "low"
    timeout_seconds: float = 20.0
    retries: int = 1
    budget_chars: int = 12_000
    roles: tuple[str, ...] = ()  # agents it is meant for; empty: all
    view: str = ""  # name of the view that makes compact text of the result
    version: str = "1"  # of the server that offers it


@dataclass(frozen=True)
class Caller:
    """Who asks: the agent or node, and the identity and scopes it acts under."""

    agent: str
    identity: str = "local"
    scopes: frozenset[str] = frozenset({"read"})
    entry: str = "cli"  # cli | webhook | web | mcp


@dataclass(frozen=True)
class ToolResult:
    """What a call gave, after redaction. `data` is whole, `text` is what a model sees."""

    call_id: str
    tool: str
    arguments: dict[str, Json]
    status: str  # ok | no_data | error | denied | invalid | timeout | unavailable
    data: Json = None
    text: str = ""
    sha256: str = ""  # of the canonical JSON of data
    error: str = ""  # one line: what went wrong and how to do better
    coverage: Coverage | None = None
    truncated: bool = False  # the text was cut to its budget
    redactions: int = 0
    seconds: float = 0.0
    version: str = ""  # of the server that answered
