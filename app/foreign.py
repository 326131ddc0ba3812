"""Foreign MCP servers as the settings name them: how they are reached, what is granted, who may use them."""

from collections.abc import Mapping

from mcp import StdioServerParameters

from app.server_settings import ForeignServer
from app.settings import Settings
from domain.errors import BadConfiguration
from domain.tool import ToolSpec
from tools.foreign import pin_of
from tools.servers import Session
from tools.targets import Foreign, Grant, Remote, Target
from tools.views.table import VIEWS


def foreign_targets(settings: Settings) -> dict[str, Target]:
    """The foreign servers by name. Raises BadConfiguration for a view that nobody wrote."""
    return {name: _foreign(name, server) for name, server in sorted(settings.foreign.items())}


def foreign_grants(registry: Mapping[str, ToolSpec], settings: Settings) -> dict[str, tuple[str, ...]]:
    """The tools of foreign servers by agent: the settings say who may use them, agents' files do not know them."""
    found: dict[str, tuple[str, ...]] = {}
    for spec in registry.values():
        for role in spec.roles if spec.server in settings.foreign else ():
            found[role] = (*found.get(role, ()), spec.name)
    return found


async def pin(settings: Settings, name: str) -> str:
    """The pin of a foreign server's tool list as it is now. Raises BadConfiguration for an unknown name."""
    if name not in settings.foreign:
        raise BadConfiguration(
            f"foreign: no server {name!r}; the settings name {', '.join(settings.foreign) or 'none'}"
        )
    session = Session(name, _at(settings.foreign[name]))
    try:
        return pin_of(await session.tools())
    finally:
        await session.close()


def _foreign(name: str, server: ForeignServer) -> Foreign:
    for tool, grant in server.tools.items():
        if grant.view not in VIEWS:
            raise BadConfiguration(
                f"foreign.{name}.tools.{tool}: no view {grant.view!r}; the views are {', '.join(VIEWS)}"
            )
    grants = {
        tool: Grant(g.roles, g.access, g.timeout_seconds, g.retries, g.budget_chars, g.view)
        for tool, g in server.tools.items()
    }
    return Foreign(_at(server), server.pin, grants)


def _at(server: ForeignServer) -> StdioServerParameters | Remote:
    if server.url:
        return Remote(server.url, server.token.get_secret_value() if server.token else "")
    return StdioServerParameters(command=server.command[0], args=list(server.command[1:]), env=server.env)
