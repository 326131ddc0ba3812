"""Prometheus' HTTP API: instant, range, series, alerts, rules. Points are capped before a query is sent."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import httpx2

from domain.errors import InvalidToolInput, ToolTimeout, ToolUnavailable

MOST_POINTS: Final = 240  # of one series
_HARD_POINTS: Final = 10_000  # Prometheus itself refuses more than 11,000
_MOST_BYTES: Final = 64 << 20  # of one answer
_LEAST_STEP: Final = 15  # unless every target is scraped more often
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Series:
    """One series of an answer."""

    labels: dict[str, str]
    points: tuple[tuple[float, float], ...]  # epoch seconds, value; what is no number is left out


def step_for(start: datetime, end: datetime, points: int = MOST_POINTS, least: int | None = None) -> int:
    """The step in whole seconds at which no series has more than so many points."""
    seconds = max((end - start).total_seconds(), 1.0)
    return max(least or _LEAST_STEP, ceil(seconds / min(points, _HARD_POINTS)))


def duration(text: str) -> float:
    """Seconds of a duration as Prometheus writes it, such as 1m30s; 0 where there is none."""
    return sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(text))


class Prometheus:
    """Asks one server. Every error is ours: unavailable, out of time, or a query it does not take."""

    def __init__(self, url: str, seconds: float = 5.0, headers: Mapping[str, str] | None = None) -> None:
        self._url, self._seconds, self._headers = url.rstrip("/"), seconds, dict(headers or {})

    @property
    def name(self) -> str:
        """Its address without a user and password."""
        parts = urlsplit(self._url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    def instant(self, query: str, at: datetime) -> list[Series]:
        """The value of a query at one moment."""
        found = self._get("query", {"query": query, "time": f"{at.timestamp():.3f}"})
        return [_series(one, [one["value"]]) for one in found["result"] if "value" in one]

    def range(self, query: str, start: datetime, end: datetime, step: int) -> list[Series]:
        """The values of a query over a time. Raises InvalidToolInput before it would ask for too many points."""
        points = (end - start).total_seconds() / max(step, 1)
        if points > _HARD_POINTS:
            raise InvalidToolInput(
                f"{points:.0f} points a series are too many; a step of {step_for(start, end)} s gives {MOST_POINTS}"
            )
        span = {"start": f"{start.timestamp():.3f}", "end": f"{end.timestamp():.3f}", "step": str(step)}
        found = self._get("query_range", {"query": query, **span})
        return [_series(one, one["values"]) for one in found["result"]]

    def series(self, match: str, start: datetime, end: datetime, most: int = 2000) -> list[dict[str, str]]:
        """The labels of the series that exist."""
        span = {"start": f"{start.timestamp():.3f}", "end": f"{end.timestamp():.3f}", "limit": str(most)}
        return list(self._get("series", {"match[]": match, **span}))[:most]

    def alerts(self) -> list[dict[str, Any]]:
        """The alerts that are pending or firing."""
        return list(self._get("alerts", {})["alerts"])

    def interval(self) -> int:
        """The least step that shows nothing twice: what the slowest target is scraped at, at most the usual one."""
        targets = self._get("targets", {"state": "active"})["activeTargets"]
        slowest = max(
            (duration(str(one.get("scrapeInterval", ""))) or _LEAST_STEP for one in targets), default=_LEAST_STEP
        )
        return min(_LEAST_STEP, ceil(slowest))

    def rules(self) -> list[dict[str, Any]]:
        """All alerting and recording rules."""
        return [rule for group in self._get("rules", {})["groups"] for rule in group.get("rules", ())]

    def _get(self, path: str, parameters: dict[str, str]) -> Any:
        try:
            answer = self._read(f"{self._url}/api/v1/{path}", parameters)
            document = json.loads(answer)
            if document["status"] == "success":
                return document["data"]
            raise InvalidToolInput(f"{self.name}: {document.get('errorType')}: {str(document.get('error'))[:200]}")
        except httpx2.TimeoutException as exc:
            raise ToolTimeout(f"{self.name}: gave no answer within {self._seconds:g} s") from exc
        except (httpx2.HTTPError, httpx2.InvalidURL) as exc:
            raise ToolUnavailable(f"{self.name}: {' '.join(str(exc).split())[:200] or type(exc).__name__}") from exc
        except (ValueError, KeyError, TypeError) as exc:
            raise ToolUnavailable(f"{self.name}: answered with what is no Prometheus document") from exc

    def _read(self, url: str, parameters: dict[str, str]) -> bytes:
        with (
            httpx2.Client(timeout=self._seconds, headers=self._headers, trust_env=False) as client,
            client.stream("POST" if "query" in parameters else "GET", url, **_sent(parameters)) as response,
        ):
            if response.status_code not in (200, 400, 422, 503):
                raise ToolUnavailable(f"{self.name}: HTTP {response.status_code}")
            body = bytearray()
            for part in response.iter_bytes():
                body += part
                if len(body) > _MOST_BYTES:
                    raise ToolUnavailable(f"{self.name}: the answer is longer than {_MOST_BYTES} bytes; ask for less")
        return bytes(body)


def _sent(parameters: dict[str, str]) -> dict[str, Any]:
    """Queries are posted, since they may be long."""
    return {"data": parameters} if "query" in parameters else {"params": parameters}


def _series(found: dict[str, Any], values: list[list[Any]]) -> Series:
    points = ((float(at), float(value)) for at, value in values)
    return Series(dict(found["metric"]), tuple(p for p in points if p[1] == p[1] and abs(p[1]) != float("inf")))
