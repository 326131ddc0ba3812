"""Views by name: typed facts -> compact text. A tool names its view; a name without one stops the start."""

from collections.abc import Callable, Mapping
from typing import Final

from domain.codec import Json
from tools.views import changes, facts, generic, logs, metrics, passages, traces

View = Callable[[Json], str]
VIEWS: Final[Mapping[str, View]] = {
    "text_sources": logs.sources,
    "lines": logs.lines,
    "signature_hits": logs.hits,
    "templates": logs.templates,
    "series_list": metrics.series_list,
    "series": metrics.series,
    "points": metrics.points,
    "trace_edges": traces.edges,
    "topology": traces.topology,
    "changes": changes.changes,
    "facts": facts.facts,
    "passages": passages.passages,
    "page": passages.page,
    "json": generic.plain,
}
