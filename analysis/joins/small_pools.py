"""More threads than the program's own pool has connections."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "pool below threads"
_TIMED_OUT: Final = "database-connection-leak/pool_timeout"
_THREADS: Final = re.compile(  # WEB_CONCURRENCY counts processes, of which each has a pool of its own
    r"(?i)(?!WEB_CONCURRENCY=)((?:SIDEKIQ_|WORKER_|GOOD_JOB_MAX_|PUMA_MAX_|MAX_|WEB_|SERVER_)?(?:CONCURRENCY|THREADS))=(\d{1,4})"
)
_POOL: Final = re.compile(
    r"(?i)((?:DB|DATABASE|RAILS|SQLALCHEMY)_(?:MAX_THREADS|POOL|POOL_SIZE|MAX_POOL|MAX_CONN\w*))=(\d{1,4})"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each program that waited for its pool and has fewer connections in it than threads."""
    told: set[str] = set()
    for waited in case.findings:
        if waited.signature != _TIMED_OUT or waited.entity in told:
            continue
        for at, fact in enumerate(case.facts):
            if fact.kind != "container" or not case.inventory.same(fact.entity, waited.entity):
                continue
            variables = list(texts(fact.attributes, "env"))
            pools = [(int(m[2]), m[1]) for each in variables if (m := _POOL.fullmatch(each))]
            taken = {name for _, name in pools}
            threads = [(int(m[2]), m[1]) for each in variables if (m := _THREADS.fullmatch(each)) and m[1] not in taken]
            if pools and threads and min(pools)[0] < max(threads)[0] and waited.entity not in told:
                told.add(waited.entity)
                (size, pool), (most, thread) = min(pools), max(threads)
                words = f"{most} threads ({thread}) share a pool of {size} connections ({pool})"
                cited = (*waited.citations[:1], *case.cite(at, "env"))
                yield JoinedFact(Fact("note", fact.entity, {"name": NAME, "text": words}), cited, waited.onset)
