"""The only reader of the environment and of fishbone.toml."""

import os
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from app.channel_settings import Channel
from app.model_settings import ModelSettings
from app.sender_settings import Sender
from app.server_settings import ForeignServer, RemoteServers
from domain.errors import BadConfiguration

FILE: Final = "fishbone.toml"
_MAY_BE_SECRET: Final = ("_api_key", "_base_url", "token")  # what is wrong there is not shown


class Settings(ModelSettings):
    """All settings: FISHBONE_<NAME> in the environment, or <name> in fishbone.toml; docs/settings.md lists them."""

    model_config = SettingsConfigDict(env_prefix="FISHBONE_", extra="forbid", frozen=True, toml_file=FILE)

    data: Path | None = Field(default=None, description="Folder for the embedded database and reports of replays.")
    database_url: str | None = Field(
        default=None, description="A Postgres with pgvector to use instead of the embedded one."
    )
    runbooks: str = Field(default="", description="Further folders of runbooks, separated by colons.")
    lang: Literal["en", "zh"] = Field(default="en", description="Language of the report's fixed words.")
    result_chars: int = Field(default=12_000, ge=1000, description="Characters a model sees of one tool result.")
    turn_results: int = Field(default=3, ge=1, description="How many results' worth one turn may return.")
    agent_chars: int = Field(default=120_000, ge=4000, description="Characters of tool results one agent may see.")
    source_filters: bool = Field(
        default=True, description="Layer 1 of context control: default filters at the source (tail_n, top)."
    )
    views_and_budgets: bool = Field(default=True, description="Layer 2: compact views of results, and their budgets.")
    forced_conclusion: bool = Field(default=True, description="Layer 3: one last call without tools at a limit.")
    model_tokens: int = Field(
        default=150_000, ge=10_000, description="Tokens that a model's calls may take in one investigation, all agents."
    )
    model_seconds: float = Field(
        default=900.0, gt=0, description="How long an investigation with a model may take, from its start."
    )
    compaction: float = Field(
        default=0.25, gt=0, le=0.9, description="Share of a model's window above which notes replace older messages."
    )
    heartbeat_seconds: float = Field(default=5.0, gt=0, description="How often a worker says that it is alive.")
    lease_seconds: float = Field(
        default=20.0, gt=0, description="A worker that was not heard of for so long has lost its investigations."
    )
    poll_seconds: float = Field(default=5.0, gt=0, description="How often a worker looks for jobs without being told.")
    patience_seconds: float = Field(
        default=120.0, gt=0, description="How long a run waits for a database that is away."
    )
    drain_seconds: float = Field(
        default=25.0, gt=0, description="How long a worker that is told to stop may take to finish its current steps."
    )
    most_crashes: int = Field(
        default=3, ge=1, description="An incident that crashed so many workers is set aside (status failed)."
    )
    evidence: Path | None = Field(
        default=None, description="A recorded incident that workers ask in the place of this machine, for drills."
    )

    token: SecretStr | None = Field(
        default=None, description="Token for webhooks and pages; without it they are open, and on loopback only."
    )
    senders: dict[str, Sender] = Field(
        default_factory=dict, description="Who posts to /webhooks/NAME: receiver, secrets, limits, mapping."
    )
    public_url: str = Field(default="", description="Where people reach the pages, for links; empty: where they are.")
    body_bytes: int = Field(default=4_000_000, ge=1000, description="Bytes of one webhook body.")
    post_alerts: int = Field(default=5000, ge=1, description="Alerts in one webhook body.")
    rate: float = Field(default=200.0, gt=0, description="Posts a second of one sender, in each web process.")
    burst: float = Field(default=400.0, ge=1, description="Posts at once of one sender, in each web process.")
    group_window_seconds: float = Field(
        default=300.0, gt=0, description="Alerts about one thing, this close together, are one incident."
    )
    group_key_seconds: float = Field(
        default=3600.0, gt=0, description="The same for alerts of one group of the sender's."
    )
    cooldown_seconds: float = Field(
        default=600.0, ge=0, description="An alert that fires again so soon after its end is not investigated again."
    )
    storm_incidents: int = Field(
        default=10, ge=1, description="So many new incidents within the window; further alerts go into one more."
    )
    forget_seconds: float = Field(
        default=86_400.0, gt=0, description="An open incident that was not heard of so long is closed."
    )

    keep_alerts_seconds: float = Field(
        default=2_592_000.0, gt=0, description="So long it is kept what became of an alert whose incident is closed."
    )

    host_name: str = Field(default="", description="What this machine is called in reports; empty: its hostname.")
    timezone: str = Field(default="UTC", description="IANA name, for stamps of live logs that state no zone.")
    log_globs: str = Field(
        default="", description="Log files, globs with commas between; rotated siblings are read too. Empty: /var/log."
    )
    journal: str = Field(default="auto", description="The systemd journal: auto, off, or the path of a file or folder.")
    docker_host: str = Field(
        default="auto",
        description="The container engine: auto (Docker, rootless, Podman), off, unix://... or tcp://...",
    )
    prometheus_url: str = Field(default="", description="A Prometheus to ask for metrics; empty: none.")
    prometheus_token: SecretStr | None = Field(default=None, description="Bearer token that Prometheus wants.")
    network_allow: str = Field(
        default="", description="What may be probed, with commas between: db:5432, https://api/health, tls:api:443, "
        "dns:db; those are probed always. Patterns such as *.shop:443 or 10.0.0.0/8:5432 allow more on request."
    )  # fmt: skip
    mcp_token: SecretStr | None = Field(
        default=None, description="Bearer token that `fishbone mcp --http` demands; needed beyond loopback."
    )
    remote: dict[str, RemoteServers] = Field(
        default_factory=dict, description="Other hosts that run `fishbone mcp --http`: by name url, token, areas."
    )
    foreign: dict[str, ForeignServer] = Field(
        default_factory=dict, description="MCP servers of others: by name command or url, pin, tools with their grants."
    )

    notify: dict[str, Channel] = Field(
        default_factory=dict, description="Who is told: by name folder, webhook or apprise, token, first_word."
    )
    notify_allow: str = Field(
        default="", description="Hosts that notifications may be posted to, as in network_allow; empty: none."
    )
    notify_poll_seconds: float = Field(
        default=2.0, gt=0, description="How often it is looked for something to tell; a first word waits so long."
    )
    notify_attempts: int = Field(default=8, ge=1, description="So many tries of one notification, with growing pauses.")
    log_format: Literal["auto", "json", "text"] = Field(
        default="auto", description="Lines of the log of serve and worker; auto: JSON, but text on a terminal."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least level that serve and worker log."
    )
    otel_endpoint: str = Field(
        default="", description="Where OpenTelemetry spans go (OTLP over HTTP, needs the extra otel); empty: off."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then fishbone.toml in the current folder."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @property
    def data_folder(self) -> Path:
        """Where fishbone keeps its files: FISHBONE_DATA, or the user's data folder."""
        if self.data is not None:
            return self.data.expanduser().absolute()
        base = os.environ.get("XDG_DATA_HOME")
        return (Path(base) if base else Path.home() / ".local" / "share") / "fishbone"

    @property
    def runbook_folders(self) -> tuple[Path, ...]:
        """The folders FISHBONE_RUNBOOKS adds."""
        return tuple(Path(part).expanduser() for part in self.runbooks.split(os.pathsep) if part)


def load_settings(**given: object) -> Settings:
    """The settings. Raises BadConfiguration, one line that names the setting and what is wrong."""
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"])
        got = "" if name.endswith(_MAY_BE_SECRET) else f", got {str(first.get('input'))[:80]!r}"
        raise BadConfiguration(f"FISHBONE_{name.upper()} (or {name} in {FILE}): {first['msg']}{got}") from exc
    except (OSError, ValueError) as exc:
        raise BadConfiguration(f"{FILE}: {' '.join(str(exc).split())[:200]}") from exc
