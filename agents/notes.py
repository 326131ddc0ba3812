"""Notes in the place of older messages: facts from results, line by line as they stood, apart from what the model made
of them and what it still asked. Code writes them; no model rewrites a fact."""

import re
from collections.abc import Sequence
from typing import Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from agents.messages import call_id_of, inside, said

HEAD: Final = "Notes on your earlier steps, taken by code. read_result(call_id) shows a result again."
FACTS: Final = "FACTS (lines of results, verbatim; more stood there)"
ASKED: Final = "ASKED OF YOU"
INFERENCES: Final = "INFERENCES (your words; they prove nothing)"
OPEN: Final = "OPEN QUESTIONS (your words)"
# What stands in quotation marks is not cut: it may be a citation. Otherwise sentences end as they do.
_CUT: Final = re.compile(r"""("[^"\n]*"|'[^'\n]*'|`[^`\n]*`)|(?<=[.!?。！？])\s+|\n+""")
_ASKS: Final = ("?", "？")
_QUOTABLE: Final = 12  # characters: shorter lines are found in too many texts


def notes(messages: Sequence[AnyMessage], each: int) -> str:
    """What stays of the messages, with about `each` characters of a result."""
    spoken = [part for m in messages if isinstance(m, AIMessage) for part in _sentences(said(m))]
    facts = [_facts(m, " ".join(spoken), each) for m in messages if isinstance(m, ToolMessage) and call_id_of(m)]
    failed = [f"- {m.name}: {m.content}" for m in messages if isinstance(m, ToolMessage) and not call_id_of(m)]
    parts = [
        (ASKED, [str(m.content) for m in messages if isinstance(m, HumanMessage)]),
        (FACTS, facts + failed),
        (INFERENCES, [f"- {part}" for part in spoken if not part.endswith(_ASKS)]),
        (OPEN, [f"- {part}" for part in spoken if part.endswith(_ASKS)]),
    ]
    return "\n".join([HEAD, *(line for title, lines in parts if lines for line in (title, *dict.fromkeys(lines)))])


def _facts(message: ToolMessage, spoken: str, each: int) -> str:
    """Whole lines of a result within its fence: those that the model quoted first, then from the top."""
    opening, text, closing = inside(message)
    lines = text.split("\n")
    quoted = [at for at, line in enumerate(lines) if _quotes(spoken, line)]
    kept: set[int] = set()
    room = each
    for at in dict.fromkeys((*quoted, *range(len(lines)))):
        if len(lines[at]) + 1 <= room or at in quoted:
            kept.add(at)
            room -= len(lines[at]) + 1
    return f"{opening}{chr(10).join(lines[at] for at in sorted(kept))}{closing}"


def _quotes(spoken: str, line: str) -> bool:
    """Whether the model repeated a good part of the line."""
    bare = line.strip()
    windows = (bare[at : at + 24] for at in range(0, max(1, len(bare) - 23), 8))
    return len(bare) >= _QUOTABLE and any(window in spoken for window in windows)


def _sentences(text: str) -> list[str]:
    ends = [match.span() for match in _CUT.finditer(text) if match.group(1) is None]
    starts = [0, *(end for _, end in ends)]
    parts = (text[start:stop].strip() for start, stop in zip(starts, [*(s for s, _ in ends), len(text)], strict=True))
    return [part for part in parts if part]
