"""What a person at the command line sees: progress on standard error, the first screen on standard output."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markdown import Markdown
from rich.panel import Panel
from rich.spinner import Spinner
from rich.text import Text

from report.markdown import first_screen
from report.order import AGENTS
from report.plain import plain

BOX: Final = 24  # columns of one agent
WIDEST: Final = 110
UNBOUNDED: Final = 2000  # columns where nobody looks at a screen


@dataclass
class _Agent:
    """What one agent is doing."""

    name: str
    state: str = "waiting"  # waiting | working | done
    tool: str = ""
    calls: int = 0
    findings: int = 0
    gaps: int = 0

    @property
    def told(self) -> str:
        """Its state in a few words."""
        if self.state == "done":
            return f"{_count(self.findings, 'finding')}, {_count(self.gaps, 'gap')}"
        return self.tool or self.state


class Progress:
    """The four agents side by side on a terminal, plain lines elsewhere. Hears everything, decides nothing."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._agents = {name: _Agent(name) for name in AGENTS}
        self._spinner = Spinner("dots")
        self._stage = ""
        self._live = Live(self, console=console, refresh_per_second=10) if console.is_terminal else None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._stage = ""
            self._live.stop()

    def stage(self, name: str) -> None:
        """A node of the graph began."""
        self._stage = name.replace("_", " ")
        self._tell(self._stage)

    def agent_started(self, agent: str) -> None:
        """An agent began."""
        self._of(agent).state = "working"
        self._stage = ""
        self._tell(f"{agent}: started")

    def tool_called(self, agent: str, tool: str) -> None:
        """An agent asked a tool."""
        one = self._of(agent)
        one.tool, one.calls = tool, one.calls + 1
        self._tell(f"{agent}: {tool}")

    def agent_done(self, agent: str, findings: int, gaps: int) -> None:
        """An agent handed back its evidence."""
        one = self._of(agent)
        one.state, one.findings, one.gaps = "done", findings, gaps
        self._tell(f"{agent}: {one.told}")

    def notice(self, what: str, whom: str) -> None:
        """The graph's notices, `agent_done` with `log 3 1`; one that is not known here is let go."""
        match [what, *whom.split()]:
            case ["stage", name]:
                self.stage(name)
            case ["agent_started", agent]:
                self.agent_started(agent)
            case ["tool_called", agent, tool]:
                self.tool_called(agent, tool)
            case ["agent_done", agent, findings, gaps] if findings.isdigit() and gaps.isdigit():
                self.agent_done(agent, int(findings), int(gaps))

    def __rich__(self) -> RenderableType:
        """The picture: a box per agent, and the stage below."""
        boxes = Columns([self._box(one) for one in self._agents.values()])
        if not self._stage:
            return boxes
        self._spinner.update(text=Text(f" {self._stage}"))
        return Group(boxes, self._spinner)

    def _box(self, one: _Agent) -> Panel:
        style = {"waiting": "dim", "working": "cyan", "done": "green"}[one.state]
        mark = {"waiting": "·", "working": "▸", "done": "✓"}[one.state]
        calls = f"\n{_count(one.calls, 'call')}" if one.calls else ""
        return Panel(
            Text(f"{one.told}{calls}", overflow="ellipsis"), title=f"{mark} {one.name}", width=BOX, style=style
        )

    def _of(self, agent: str) -> _Agent:
        return self._agents.setdefault(agent, _Agent(agent))

    def _tell(self, line: str) -> None:
        if self._live is None:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def progress() -> Iterator[Progress]:
    """Progress on standard error while the block runs."""
    with Progress(Console(stderr=True)) as shown:
        yield shown


def output() -> Console:
    """Standard output: styled on a terminal, plain and never wrapped elsewhere."""
    console = Console()
    # a table keeps to the width also where nothing wraps: what a program reads must not lose its columns
    return console if console.is_terminal else Console(soft_wrap=True, highlight=False, width=UNBOUNDED)


def show_report(path: Path, folder: Path, unanswered: Sequence[str] = (), *, whole: bool = False) -> None:
    """The report on standard output: its first screen, or all of the file; where the rest lies on standard error."""
    text = path.read_text(encoding="utf-8")
    if whole:
        sys.stdout.write(text)
    else:
        show_first_screen(text, output())
    told = Console(stderr=True, soft_wrap=True, highlight=False)
    if unanswered:
        told.print(f"{_count(len(unanswered), 'call')} could not be answered from the recording", markup=False)
    told.print(f"Report: {folder / 'report.md'}", markup=False)


def show_first_screen(text: str, console: Console) -> None:
    """The first screen of report.md: rendered on a terminal, plain text elsewhere."""
    shown = first_screen(text)
    if console.is_terminal:
        console.print(Markdown(shown, hyperlinks=False), width=min(console.width, WIDEST))
    else:
        console.file.write(plain(shown))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
