"""Which models make the second pass."""

from collections.abc import Mapping

from langchain_core.language_models import BaseChatModel

from app.investigation import Second
from app.models import Models
from domain.errors import MissingSetting


def configured(models: Models) -> Second | None:
    """The pass of the models that the agents' files ask for; None where no model is configured."""
    return _second(models.agents) if models.agents else None


def named(models: Models, name: str) -> Second:
    """The pass with one model for all agents, by its tier or its own name. Raises MissingSetting."""
    for tier, gateway in models.tiers.items():
        if name in (tier, gateway.tier.model):
            return _second(dict.fromkeys(models.agents, gateway))
    set_up = ", ".join(f"{tier} ({gateway.tier.model})" for tier, gateway in models.tiers.items())
    told = f"set are {set_up}" if set_up else "no tier is set: FISHBONE_FAST_BASE_URL and FISHBONE_FAST_MODEL set one"
    raise MissingSetting(f"--model {name}: there is no tier and no model of that name; {told}")


def _second(models: Mapping[str, BaseChatModel]) -> Second:
    """All evidence of the pass is signed with the names of its models."""
    names = sorted({str(model.name) for model in models.values()})
    return Second(" + ".join(names), dict(models))
