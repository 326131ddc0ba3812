"""Settings of MCP servers beyond this process: our own on other hosts, and foreign ones with what they are granted."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from domain.tool import Access

Area = Literal["logs", "metrics", "traces", "topology", "containers", "host", "network", "changes"]


class Strict(BaseModel):
    """No key that we do not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RemoteServers(Strict):
    """`fishbone mcp all --http` on another host, with its areas; or one server alone. The URL may end in /mcp."""

    url: str = Field(pattern=r"^https?://")
    token: SecretStr | None = None
    areas: tuple[Area, ...] = ()


class ToolGrant(Strict):
    """What a foreign tool may do here, whatever it says of itself."""

    roles: tuple[str, ...] = Field(min_length=1, description="agents that may use it")
    access: Literal[Access.READ, Access.PROPOSE] = Access.READ
    timeout_seconds: Annotated[float, Field(gt=0, le=120)] = 20.0
    retries: Annotated[int, Field(ge=0, le=3)] = 0
    budget_chars: Annotated[int, Field(ge=400, le=100_000)] = 12_000
    view: str = "json"


class ForeignServer(Strict):
    """A server of somebody else's: only the tools that are named here can be used."""

    command: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = Field(default="", pattern=r"^(?:https?://.*)?$")
    token: SecretStr | None = None
    pin: str = Field(default="", description="sha256 of its tool list; `fishbone mcp pin NAME` prints it")
    tools: dict[str, ToolGrant] = {}

    @model_validator(mode="after")
    def _one_way_to_it(self) -> "ForeignServer":
        if bool(self.command) == bool(self.url):
            raise ValueError("name either command or url")
        return self
