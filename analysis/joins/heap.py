"""Programs told to use as much memory as their container may have in all, so that the kernel ends them."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

_KILLED: Final = "memory.oom_kill"
_MOST: Final = 0.85  # of the limit; stacks, code, buffers and the page cache need the rest
_UNITS: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
# Options that bound a heap or a cache, and what their number counts where no unit follows.
_OPTIONS: Final = {
    "-Xmx": "", "MAX_HEAP_SIZE=": "", "GOMEMLIMIT=": "", "--max-old-space-size=": "m", "--max_old_space_size=": "m",
    "--maxmemory=": "", "--maxmemory ": "", "--innodb-buffer-pool-size=": "", "--innodb_buffer_pool_size=": "",
    "--wiredTigerCacheSizeGB=": "g", "--wiredTigerCacheSizeGB ": "g", "--memory-limit=": "m", "-m ": "m",
}  # fmt: skip
_TOLD: Final = re.compile(rf"({'|'.join(map(re.escape, _OPTIONS))})[\"']?(\d+(?:\.\d+)?)([kKmMgGtT]?)(?:i?[bB])?\b")
_ONLY_FOR: Final = {
    "-m ": "memcache",
    "--memory-limit=": "memcache",
}  # short options that mean something else elsewhere


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that was killed at its limit and bounds its heap at about that limit, or above."""
    killed = [finding for finding in case.findings if finding.kind == _KILLED]
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        limit, asked = fact.attributes.get("memory_limit"), max(_asked(fact), default=None)
        if asked is None or not isinstance(limit, int) or asked[0] < _MOST * limit or fact.entity in told:
            continue
        if of := next((each for each in killed if case.inventory.same(each.entity, fact.entity)), None):
            told.add(fact.entity)
            more = Fact(
                fact.kind, fact.entity, fact.attributes | {"heap": asked[0], "heap_option": asked[1]}, fact.source
            )
            yield JoinedFact(more, (*case.cite(at, "env", "command", "memory_limit"), *of.citations[:1]), of.onset)


def _asked(fact: Fact) -> Iterator[tuple[int, str]]:
    """The bytes that each option or variable of the container allows, with its words."""
    if fact.kind not in ("container", "workload"):
        return
    image = str(fact.attributes.get("image") or "")
    command = " ".join((*texts(fact.attributes, "entrypoint"), *texts(fact.attributes, "command")))
    for words in (*texts(fact.attributes, "env"), command):
        for match in _TOLD.finditer(words):
            option, amount, unit = match.groups()
            if _ONLY_FOR.get(option, "") in image:
                yield int(float(amount) * _UNITS.get((unit or _OPTIONS[option]).lower(), 1)), match[0]
