"""The network as it is now: interfaces, routes, sockets, container networks, and probes of what the settings allow."""

from collections.abc import Callable
from typing import Final

import psutil

from analysis.captures.docker_inspect import inspect_facts
from domain.errors import ToolTimeout, ToolUnavailable
from domain.facts import Fact
from domain.results import Facts
from mcp_servers.fact_kinds import NETWORK
from mcp_servers.live.answer import answer
from mcp_servers.live.bounded import each_within
from mcp_servers.live.engine import Engine
from mcp_servers.live.firewall import rules
from mcp_servers.live.probes import probe
from mcp_servers.live.sockets import interfaces, resolver, routes, sockets
from mcp_servers.live.targets import Allowed, Target, parse
from mcp_servers.live.watch import Watch

MOST_PROBES: Final = 50
_SECONDS: Final = 12.0  # for all probes together: a name, a connection, a request


class LiveNetwork:
    """Looks at this machine's network, and probes only what network_allow lists."""

    def __init__(self, allowed: Allowed, engine: Engine, watch: Watch) -> None:
        self._allowed, self._engine, self._watch = allowed, engine, watch

    def probes(self, targets: list[str] | None = None) -> Facts:
        """What is seen of the network and what answers; `targets` are probed besides those of the settings."""
        problems: list[str] = []
        facts = [fact for part in self._parts() for fact in _read(part, problems)]
        chosen = self._targets(targets or [], problems)
        context = self._watch.context("network")
        found = each_within(_SECONDS, chosen, str, lambda target: probe(target, context), problems)
        facts += [fact for one in found for fact in one]
        kept = [fact for fact in facts if fact.kind in NETWORK]
        asked = f"targets={','.join(targets)}" if targets else ""
        return answer(kept, self._watch, f"{self._watch.host}, {len(chosen)} targets", problems, asked)

    def _parts(self) -> tuple[Callable[[], list[Fact]], ...]:
        watch, context = self._watch, self._watch.context("network")
        return (
            lambda: list(interfaces(context)),
            lambda: list(routes(context)),
            lambda: sockets(context),
            lambda: resolver(watch),
            lambda: rules(watch),
            lambda: inspect_facts(list(self._engine.networks()) if self._engine.is_there else [], context),
        )

    def _targets(self, asked: list[str], problems: list[str]) -> list[Target]:
        found = dict.fromkeys(self._allowed.to_probe(problems))
        for text in asked:
            try:
                target = parse(text)
            except ValueError as exc:
                problems.append(str(exc))
                continue
            if refused := self._allowed.refusal(target):
                problems.append(refused)
            else:
                found[target] = None
        if len(found) > MOST_PROBES:
            problems.append(f"network_allow: {len(found)} targets, the first {MOST_PROBES} were probed")
        return list(found)[:MOST_PROBES]


def _read(part: Callable[[], list[Fact]], problems: list[str]) -> list[Fact]:
    try:
        return part()
    except (ToolUnavailable, ToolTimeout) as exc:
        problems.append(str(exc))
    except (OSError, psutil.Error, ValueError) as exc:
        problems.append(f"network: {type(exc).__name__}: {exc}")
    return []
