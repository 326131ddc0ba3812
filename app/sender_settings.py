"""Settings of those who post alerts: how each proves who it is, how much it may send, how its bodies are read."""

from pathlib import Path

from pydantic import Field, SecretStr, field_validator, model_validator

from alerts import GENERIC, receivers
from alerts.mapping import Paths
from app.server_settings import Strict
from app.signatures import STYLES


class Mapping(Strict):
    """Where the fields of an alert stand in the bodies of a sender that no receiver knows."""

    name: str
    alerts: str = ""
    status: str = ""
    severity: str = ""
    starts_at: str = ""
    ends_at: str = ""
    fingerprint: str = ""
    group: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    resolved: tuple[str, ...] = ()

    @property
    def paths(self) -> Paths:
        """As alerts.mapping takes them."""
        return Paths(**self.model_dump())


class Sender(Strict):
    """One source of POST /webhooks/SOURCE."""

    receiver: str = Field(default="", description="The receiver that reads it; empty: the one of the source's name.")
    token: SecretStr | None = Field(default=None, description="Bearer token.")
    username: str = Field(default="", description="Of basic authentication.")
    password: SecretStr | None = None
    secret: SecretStr | None = Field(default=None, description="Key of the HMAC signature (SHA-256).")
    signature: str = Field(default=GENERIC, description=f"Style of the signature: {', '.join(sorted(STYLES))}.")
    signature_header: str = Field(default="", description="Header of the signature, where not the style's own.")
    stamp_header: str = Field(default="", description="Header of the time that is signed, where not the style's own.")
    replay_seconds: float | None = Field(
        default=None, gt=0, description="Older posts are refused; set, a style with an optional time must state it."
    )
    rate: float | None = Field(default=None, gt=0, description="Posts a second.")
    burst: float | None = Field(default=None, ge=1, description="Posts at once.")
    body_bytes: int | None = Field(default=None, ge=1000)
    mapping: Mapping | None = Field(default=None, description="Where an alert's fields stand; for generic bodies.")
    sns_certificates: tuple[Path, ...] = Field(
        default=(), description="Files of the certificates that Amazon SNS signs with; a message must fit one of them."
    )
    confirm_topics: tuple[str, ...] = Field(
        default=(), description="ARNs of SNS topics whose subscription may be confirmed by fetching its address."
    )

    @field_validator("receiver")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name and name not in (known := [receiver.name for receiver in receivers()]):
            raise ValueError(f"no receiver is called {name!r}; there are {', '.join(known)}")
        return name

    @field_validator("signature")
    @classmethod
    def _has_style(cls, name: str) -> str:
        if name not in STYLES:
            raise ValueError(f"no signature style is called {name!r}; there are {', '.join(sorted(STYLES))}")
        return name

    @model_validator(mode="after")
    def _whole(self) -> "Sender":
        if bool(self.username) != bool(self.password):
            raise ValueError("basic authentication needs username and password")
        return self

    @property
    def proves(self) -> bool:
        """Whether it has a way of its own to prove who it is."""
        return bool(self.token or self.password or self.secret or self.sns_certificates)
