"""Settings of one way to tell people: a folder, a webhook, or a service that apprise knows."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator


class Channel(BaseModel):
    """Exactly one of folder, webhook and apprise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Path | None = Field(default=None, description="reports are written there as files")
    webhook: str = Field(default="", pattern=r"^(?:https?://.+)?$", description="posted to; notify_allow must list it")
    apprise: SecretStr | None = Field(
        default=None, description="a URL of apprise: slack://..., mailto://..., ntfy://..."
    )
    token: SecretStr | None = Field(default=None, description="bearer token that the webhook wants")
    first_word: bool = Field(default=True, description="also tell that an investigation has begun")
    resolved: bool = Field(default=False, description="also tell that all alerts of an incident are over")
    timeout_seconds: Annotated[float, Field(gt=0, le=60)] = 10.0

    @model_validator(mode="after")
    def _one_way(self) -> "Channel":
        if sum(map(bool, (self.folder, self.webhook, self.apprise))) != 1:
            raise ValueError("name one of folder, webhook and apprise")
        return self

    @property
    def says_first(self) -> bool:
        """Whether it tells the first word; a folder holds reports only."""
        return self.first_word and self.folder is None

    @property
    def says_resolved(self) -> bool:
        """Whether it tells the end of an incident."""
        return self.resolved and self.folder is None
