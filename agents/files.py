"""An agent is its file: front matter for the machine, body for a model. A file that does not load stops the start."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.errors import InvalidAgentFile

RULES: Final = "rules.md"  # the partial that all prompts share


class Bounds(BaseModel):
    """What one run of the agent may use."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    steps: int = Field(ge=1, le=50)  # model calls with tools bound
    seconds: float = Field(gt=0, le=3600)  # wall clock, of the analyst
    model_seconds: float = Field(default=240.0, gt=0, le=3600)  # wall clock, where a model must be waited for
    tokens: int = Field(default=60_000, ge=1000)  # of prompts and answers together


class _Front(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    purpose: str = Field(min_length=10)
    tools: list[str] = Field(min_length=1)
    limits: Bounds
    tier: Literal["fast", "deep"] = "fast"


@dataclass(frozen=True)
class AgentFile:
    """One agent as its file describes it."""

    name: str
    purpose: str
    tools: tuple[str, ...]  # names, or `server_*`
    bounds: Bounds
    prompt: str  # the body, then the shared rules
    tier: str = "fast"  # of the model that it reasons with, where one is configured: fast | deep


def load_agents() -> dict[str, AgentFile]:
    """All agents, by name. Raises InvalidAgentFile that names the file."""
    return agents_of({f.name: f.read_text("utf-8") for f in files("agents").iterdir() if f.name.endswith(".md")})


def agents_of(texts: Mapping[str, str]) -> dict[str, AgentFile]:
    """The agents that these files describe, by name. Raises InvalidAgentFile that names the file."""
    if RULES not in texts:
        raise InvalidAgentFile(f"agents/{RULES}: is missing; all prompts share it")
    named = (name for name in sorted(texts) if name != RULES)
    return {agent.name: agent for agent in (_load(name, texts[name], texts[RULES]) for name in named)}


def _load(file: str, text: str, rules: str) -> AgentFile:
    try:
        _, front, body = text.split("---\n", 2)
        read = _Front.model_validate(yaml.safe_load(front))
    except (ValueError, ValidationError, yaml.YAMLError) as exc:
        raise InvalidAgentFile(f"agents/{file}: {' '.join(str(exc).split())[:300]}") from exc
    name = file.removesuffix(".md")
    return AgentFile(
        name, read.purpose, tuple(read.tools), read.limits, f"{body.strip()}\n\n{rules.strip()}\n", read.tier
    )
