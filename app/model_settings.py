"""Settings of the models: one per tier, all optional. Without any the offline analyst works alone."""

from typing import Literal, cast
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

from agents.gateway.profiles import profiles
from agents.gateway.tier import Price, Tier
from domain.errors import MissingSetting

TierName = Literal["fast", "deep"]
TIERS: tuple[TierName, ...] = ("fast", "deep")
_ENDPOINT = "/chat/completions"


class ModelSettings(BaseSettings):
    """FISHBONE_FAST_* and FISHBONE_DEEP_*."""

    tier: Literal["", "fast", "deep"] = Field(
        default="", description="The tier that all agents use, whatever their file says; empty: as their file says."
    )
    fast_base_url: str = Field(default="", description="Address of the fast tier's API, up to /v1.")
    fast_model: str = Field(default="", description="Its model.")
    fast_api_key: SecretStr | None = Field(default=None, description="Its key; several with commas between; or none.")
    fast_profile: str = Field(default="", description="What kind of server it is; empty: told by the address.")
    fast_window: int = Field(default=0, ge=0, description="Tokens of prompt and answer; 0: the server is asked.")
    fast_max_output: int = Field(default=0, ge=0, description="Tokens of one answer; 0: the profile's.")
    fast_timeout_seconds: float = Field(default=60.0, gt=0, description="How long one request may take.")
    fast_price_in: float = Field(default=0.0, ge=0, description="Price of a million prompt tokens.")
    fast_price_out: float = Field(default=0.0, ge=0, description="Price of a million answer tokens.")

    deep_base_url: str = Field(default="", description="The same of the deep tier.")
    deep_model: str = ""
    deep_api_key: SecretStr | None = None
    deep_profile: str = ""
    deep_window: int = Field(default=0, ge=0)
    deep_max_output: int = Field(default=0, ge=0)
    deep_timeout_seconds: float = Field(default=120.0, gt=0)
    deep_price_in: float = Field(default=0.0, ge=0)
    deep_price_out: float = Field(default=0.0, ge=0)

    @field_validator("fast_base_url", "deep_base_url")
    @classmethod
    def _address(cls, given: str) -> str:
        """Without a slash at its end. It must lead to a server and hold no secret."""
        parts = urlsplit(given)
        if given and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("must begin with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("must hold neither user, password, query nor fragment; a key goes into _API_KEY")
        if parts.path.rstrip("/").endswith(_ENDPOINT):
            raise ValueError(f"must end before {_ENDPOINT}, most often with /v1")
        return given.rstrip("/")

    @field_validator("fast_profile", "deep_profile")
    @classmethod
    def _profile(cls, given: str) -> str:
        if given and given not in profiles():
            raise ValueError(f"must be one of {', '.join(profiles())}")
        return given

    def tier_named(self, name: TierName) -> Tier | None:
        """The tier as the gateway takes it; None where nothing of it is set. Raises MissingSetting for a half."""
        of = {
            key.removeprefix(f"{name}_"): getattr(self, key) for key in type(self).model_fields if key.startswith(name)
        }
        if not (of["base_url"] or of["model"] or of["api_key"]):
            return None
        for half in ("base_url", "model"):
            if not of[half]:
                raise MissingSetting(f"FISHBONE_{name.upper()}_{half.upper()} is not set, but others of its tier are")
        return Tier(
            name, of["base_url"], of["model"], of["profile"], of["window"], of["max_output"], of["timeout_seconds"],
            Price(of["price_in"], of["price_out"]),
        )  # fmt: skip

    def tiers(self) -> dict[TierName, Tier]:
        """Those that are set. Raises MissingSetting."""
        found = {name: self.tier_named(name) for name in TIERS}
        return {name: tier for name, tier in found.items() if tier is not None}

    def keys_of(self, name: TierName) -> tuple[SecretStr, ...]:
        """The keys of a tier; one empty key where it has none."""
        given: SecretStr | None = getattr(self, f"{name}_api_key")
        text = given.get_secret_value() if given else ""
        return tuple(SecretStr(key) for part in text.split(",") if (key := part.strip())) or (SecretStr(""),)

    def tier_for(self, asked: str, who: str) -> TierName:
        """The tier that somebody uses who asks for this one. Raises MissingSetting: nothing falls back by itself."""
        name = cast(TierName, self.tier or asked)
        if (tiers := self.tiers()) and name not in tiers:
            other = next(iter(tiers))
            raise MissingSetting(
                f"{who} asks for the tier {name}, which is not set: set FISHBONE_{name.upper()}_BASE_URL and "
                f"FISHBONE_{name.upper()}_MODEL, or FISHBONE_TIER={other} for all"
            )
        return name
