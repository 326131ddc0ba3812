"""What a statement is about: an entity, written `kind:name`."""

from typing import Final

KINDS: Final = (
    "container", "pod", "service", "process", "host", "disk", "volume", "database", "query", "queue",
    "certificate", "network", "change", "external", "user",
)  # fmt: skip
LIMIT: Final = 120
_SEPARATORS: Final = (",", ";", "|", "\r", "\n", "\v", "\f", "\x85", "\u2028", "\u2029")


def entity(kind: str, name: str) -> str:
    """`kind:name`, with the name as its source calls it, cut before the first character that no name may hold.

    Raises ValueError for a kind outside KINDS or a name of which nothing is left.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no entity kind; the kinds are {', '.join(KINDS)}")
    cut = min((at for mark in _SEPARATORS if (at := name.find(mark)) >= 0), default=len(name))
    kept = name[:cut].strip()[: LIMIT - len(kind) - 1].rstrip()
    if not kept:
        raise ValueError(f"a {kind} without a name")
    return f"{kind}:{kept}"


def kind_of(of: str) -> str:
    """The part before the first colon."""
    return of.partition(":")[0]


def name_of(of: str) -> str:
    """The part after the first colon."""
    return of.partition(":")[2]


def is_entity(text: str) -> bool:
    """Whether the text is a well-formed entity."""
    kind, colon, name = text.partition(":")
    return (
        bool(colon and name.strip())
        and kind in KINDS
        and len(text) <= LIMIT
        and not any(mark in name for mark in _SEPARATORS)
    )
