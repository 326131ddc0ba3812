"""What has been learned of one model at one address while this process runs."""

from collections.abc import MutableMapping
from dataclasses import dataclass

from agents.gateway.profiles import Profile, profile_for
from agents.gateway.tier import Tier
from agents.gateway.usage import corrected


@dataclass(eq=False)
class Known:
    """Begins as the profile and the settings say, and changes with what the server answers."""

    profile: Profile
    window: int  # tokens of prompt and answer together
    max_output: int  # tokens of one answer
    correction: float = 1.0  # our estimate times this is what the model's tokenizer counts

    def counted(self, estimated: int, counted: int) -> None:
        """The server has counted what we had estimated."""
        self.correction = corrected(self.correction, estimated, counted)

    def fits(self, window: int) -> None:
        """The server has shown that its window is no larger."""
        self.window = min(self.window, max(window, 512))


Memory = MutableMapping[tuple[str, str], Known]  # by address and model


def known_of(tier: Tier, memory: Memory) -> Known:
    """What is known of the tier's model; two tiers of one model know the same. Raises BadConfiguration."""
    at = tier.base_url, tier.model
    if at not in memory:
        profile = profile_for(tier.base_url, tier.profile)
        memory[at] = Known(profile, tier.window or profile.window, tier.max_output or profile.max_output)
    return memory[at]
