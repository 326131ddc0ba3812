"""Reads `Key:  value` text that nests by indentation, as kubectl describe, docker info and ethtool print it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from analysis.captures.context import Line

_KEYED: Final = re.compile(r"(\s*)([^\s:][^:]{0,60}?):(?:\s+(.*?))?\s*$")


@dataclass
class Node:
    """One line with what is indented under it."""

    key: str  # empty for a line that is no `Key:`
    value: str
    line: Line
    indent: int
    children: list["Node"] = field(default_factory=list)

    def child(self, *keys: str) -> "Node | None":
        """The first child under one of these keys."""
        return next((node for node in self.children if node.key in keys), None)

    def text(self, *keys: str) -> str:
        """The value of a child, without what says that there is none."""
        node = self.child(*keys)
        return "" if node is None or node.value in ("<none>", "<unset>", "<nil>") else node.value

    def lines(self) -> list[Line]:
        """The lines of all that is indented under it, in order."""
        found: list[Line] = []
        for node in self.children:
            found.append(node.line)
            found += node.lines()
        return found

    def texts(self) -> list[str]:
        """Its value, then what is indented under it, stripped."""
        told = [self.value, *(line.text.strip() for line in self.lines())]
        return [text for text in told if text and text not in ("<none>", "<unset>")]


def tree(lines: Iterable[Line]) -> Node:
    """The lines nested under a root."""
    root = Node("", "", Line(0, ""), -1)
    open_nodes = [root]
    for line in lines:
        if not line.text.strip():
            continue
        text = line.text.expandtabs()
        match = _KEYED.match(text)
        indent = len(text) - len(text.lstrip())
        node = Node(match[2], match[3] or "", line, indent) if match else Node("", text.strip(), line, indent)
        while open_nodes[-1].indent >= indent:
            open_nodes.pop()
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
    return root
