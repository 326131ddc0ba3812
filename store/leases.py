"""The leases of the investigations that one worker has: renewed by a thread with a connection of its own."""

from collections.abc import Mapping

from psycopg import Connection
from psycopg.rows import DictRow

from store.queries import queries


def renew(connection: Connection[DictRow], held: Mapping[str, int], lease_seconds: float) -> frozenset[str]:
    """Renew what is held (investigation -> token), and give those that are still this worker's."""
    if not held:
        return frozenset()
    values = {"ids": list(held), "tokens": list(held.values()), "lease_seconds": lease_seconds}
    return frozenset(row["id"] for row in connection.execute(queries("investigations")["renew"], values).fetchall())
