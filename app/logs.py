"""The log of a process that stays up: one line an event, with the trace id of the run it belongs to."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

import structlog
from structlog.typing import Processor

from app.settings import Settings

TRACE: Final = "trace"  # the investigation's id
_TALKATIVE: Final = ("procrastinate", "mcp", "httpx2", "httpx", "httpcore2", "apprise", "urllib3", "docker", "uvicorn")


def set_up_logs(settings: Settings, stream: TextIO | None = None) -> None:
    """Everything that is logged goes to the stream, standard error, in the form of the settings."""
    stream = stream or sys.stderr
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not stream.isatty())
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_formatter(as_json=as_json))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


@contextmanager
def traced(investigation: str, incident: str) -> Iterator[None]:
    """Lines that are logged meanwhile carry the run's id, also those of tasks and threads that are started within."""
    with structlog.contextvars.bound_contextvars(**{TRACE: investigation, "incident": incident}):
        yield


def _formatter(*, as_json: bool) -> logging.Formatter:
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_end(as_json)],
    )


def _end(as_json: bool) -> list[Processor]:
    if not as_json:
        return [structlog.dev.ConsoleRenderer(colors=False, timestamp_key="time")]
    return [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(sort_keys=True, ensure_ascii=False),
    ]
