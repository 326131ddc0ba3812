"""Lines in which a program complains about another one."""

import re
from typing import Final

# Then the other one's trouble is the cause, or nothing is told at all.
_OF_OTHERS: Final = re.compile(
    r"(?i)refused|ECONN|timed? ?out|unreachable|no route to host|no such host|\bname resolution|ENOTFOUND|EAI_|"
    r"could not (?:connect|translate|resolve)|failed to connect|broken pipe|connection (?:failed|reset|closed|lost)"
)


def is_about_another(words: str) -> bool:
    """Whether the words tell of a connection: what is wrong is then at its other end, or on the way."""
    return _OF_OTHERS.search(words) is not None
