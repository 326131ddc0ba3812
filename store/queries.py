"""Loads the queries of an aggregate: SQL lives in .sql files, under a name and a purpose.

-- save: keeps a result under its hash; a second time changes nothing
insert into ...
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

_HEAD: Final = re.compile(r"^-- (\w+): .+\n", re.MULTILINE)


@cache
def queries(aggregate: str) -> dict[str, bytes]:
    """The queries of `store/<aggregate>.sql` by name."""
    _, *parts = _HEAD.split((Path(__file__).parent / f"{aggregate}.sql").read_text("utf-8"))
    return dict(zip(parts[::2], (text.strip().encode() for text in parts[1::2]), strict=True))
