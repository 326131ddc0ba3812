"""Which agent may use which tool: the agent's file and the registry must both say so."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from domain.errors import InvalidAgentFile
from domain.tool import ToolSpec


def grants(files: Mapping[str, Iterable[str]], registry: Mapping[str, ToolSpec]) -> dict[str, frozenset[str]]:
    """The tools of each agent; a file names them, or a whole server as `logs_*`.

    Raises InvalidAgentFile for a name that no server offers.
    """
    return {agent: frozenset(_expand(agent, names, registry)) for agent, names in files.items()}


def _expand(agent: str, names: Iterable[str], registry: Mapping[str, ToolSpec]) -> Iterable[str]:
    for name in names:
        found = [tool for tool in registry if fnmatchcase(tool, name)]
        if not found:
            raise InvalidAgentFile(f"agents/{agent}.md: tools: no server offers {name!r}")
        yield from found
