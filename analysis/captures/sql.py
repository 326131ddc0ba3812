"""psql and mysql: tables of sessions, locks, slots, settings; single values; anything else as notes."""

import re
from collections.abc import Callable
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.sql_rows import rows
from analysis.captures.units import duration, number, size, truth
from domain.facts import Fact

Cells = dict[str, str]
_STATEMENT: Final = re.compile(r"\b(?:select|show|explain|with)\b.*", re.IGNORECASE | re.DOTALL)
_SHOW: Final = re.compile(
    r"\bshow\s+(?:global |session )?(?:variables|status)?\s*(?:like\s+)?['\"]?([\w.%]+)", re.IGNORECASE
)
_MAX: Final = re.compile(r"\bmax\(\s*([\w.\"]+)\s*\)", re.IGNORECASE)
_FROM: Final = re.compile(r"\bfrom\s+([\w.\"]+)", re.IGNORECASE)
SEQUENCE, LARGEST = "sequence", "largest value"
_MOST: Final = 200
_PIDS: Final = (
    "pid", "procpid", "id", "blocked_pid", "waiting_pid", "trx_mysql_thread_id", "processlist_id", "thread_id",
)  # fmt: skip
_RELATIONS: Final = ("relation", "relname", "table_name", "object_name", "locked_table")
_GRANTED: Final = {"granted": True, "pending": False}


def parse(text: str, context: Context) -> list[Fact]:
    """Rows of the answer, typed where their columns tell what they are."""
    table = rows(text, context)
    if not table:
        return _single(text, context)
    statement = context.command.line.lower()
    columns = {name.lower() for name in table[0].cells}
    read = next(
        (read for read, needed, words in _READERS if (needed and needed <= columns) or (words and words in statement)),
        _note,
    )
    return [
        fact for row in table[:_MOST] for fact in read({k.lower(): v for k, v in row.cells.items()}, row.line, context)
    ]


def _single(text: str, context: Context) -> list[Fact]:
    """One value: SHOW x, select version(), select count(*)."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    statement = _STATEMENT.search(context.command.line)
    if len(lines) != 1 or statement is None:
        return []
    value, line = lines[0].text.strip(), lines[0]
    if "version()" in statement[0].lower() and (match := re.search(r"(\w+) (\d+(?:\.\d+)+)", value)):
        return [context.fact("version", context.place, line, name=match[1].lower(), version=match[2])]
    if match := _SHOW.search(statement[0]):
        return [_setting(match[1], value, line, context)]
    if "pg_stat_activity" in statement[0].lower() and value.isdigit():
        return [context.fact("session", _database(context), line, count=int(value), state=_state_asked(statement[0]))]
    return [
        context.fact(
            "note", context.place, line, name=statement[0].strip("'\" ;")[:200], value=number(value), text=value[:500]
        )
    ]


def _state_asked(statement: str) -> str | None:
    match = re.search(r"state\s*=\s*'([^']+)'", statement)
    return match[1] if match else None


def _database(context: Context, name: str = "") -> str:
    """The database itself: by the container it runs in, the one that was asked, or its host."""
    inside = context.command.inside.partition(":")[2]
    asked = context.command.value("-d", "--dbname") or context.command.value("-h", "--host")
    return safe_entity("database", inside or name or asked, safe_entity("database", context.command.program or "sql"))


def _setting(name: str, value: str, line: Line, context: Context, **told: Any) -> Fact:
    plain = number(value)
    return context.fact("setting", _database(context), line, name=name, value=value if plain is None else plain, **told)


def _session(cells: Cells, line: Line, context: Context) -> list[Fact]:
    """pg_stat_activity, processlist: one session, or a count of them under any grouping."""
    count = number(cells.get("count", cells.get("count(*)", cells.get("n", ""))))
    seconds = _seconds(cells, "age", "duration", "running_for", "time", "query_age", "runtime")
    blocked = [
        int(pid)
        for pid in re.findall(
            r"\d+", cells.get("pg_blocking_pids", cells.get("blocked_by", cells.get("blocking_pid", "")))
        )
    ]
    statement = (
        cells.get("query")
        or cells.get("info")
        or cells.get("blocked_query")
        or cells.get("current_query")
        or cells.get("blocked_statement")
        or cells.get("waiting_query")
        or cells.get("trx_query")
    )
    return [
        context.fact(
            "session",
            _database(context, cells.get("datname") or cells.get("db") or ""),
            line,
            pid=number(next((cells[name] for name in _PIDS if cells.get(name)), "")),
            count=count,
            user=cells.get("usename") or cells.get("user"),
            database=cells.get("datname") or cells.get("db"),
            state=cells.get("state") or cells.get("command") or cells.get("trx_state"),
            wait_type=cells.get("wait_event_type"),
            wait_event=cells.get("wait_event"),
            query=(statement or "")[:500],
            age_seconds=seconds,
            transaction_seconds=_seconds(cells, "xact_age", "transaction_age", "xact_duration", "trx_seconds")
            or _since(cells.get("trx_started") or cells.get("xact_start") or "", context),
            blocked_by=blocked,
            application=cells.get("application_name"),
            client=cells.get("client_addr") or cells.get("host"),
            lock_type=cells.get("locktype") or cells.get("lock_type"),
            lock_mode=cells.get("mode") or cells.get("lock_mode"),
            relation=next((cells[name] for name in _RELATIONS if cells.get(name)), None),
            granted=truth(cells["granted"])
            if "granted" in cells
            else _GRANTED.get(cells.get("lock_status", "").lower()),
            xmin_age=_transactions(cells) if cells.keys() & {"backend_xmin", "backend_xmin_age", "xmin_age"} else None,
        )
    ]


def _seconds(cells: Cells, *names: str) -> float | None:
    text = next((cells[name] for name in names if cells.get(name)), "")
    plain = number(text)
    if plain is not None:
        return float(plain)
    match = re.fullmatch(r"(?:(\d+) days? )?(\d+):(\d\d):(\d\d(?:\.\d+)?)", text)
    if match:
        return float(int(match[1] or 0) * 86400 + int(match[2]) * 3600 + int(match[3]) * 60) + float(match[4])
    return duration(text)


def _since(started: str, context: Context) -> float | None:
    """Seconds until the capture."""
    moment = context.time(started) if started not in ("", "NULL") else None
    seconds = (context.clock.now - moment).total_seconds() if moment else -1.0
    return seconds if seconds >= 0 else None


def _slot(cells: Cells, line: Line, context: Context) -> list[Fact]:
    active = truth(cells.get("active", ""))
    retained = (
        cells.get("retained_wal")
        or cells.get("retained")
        or cells.get("lag_bytes")
        or cells.get("pg_size_pretty")
        or cells.get("retained_bytes")
        or ""
    )
    return [
        context.fact(
            "replication",
            _database(context, cells.get("database") or ""),
            line,
            name=cells.get("slot_name"),
            role="slot",
            active=active,
            type=cells.get("slot_type"),
            database=cells.get("database"),
            retained_bytes=size(retained.replace("bytes", "").strip()),
            state="active" if active else "inactive",
            wal_status=cells.get("wal_status"),
            xmin=cells.get("xmin") or cells.get("catalog_xmin"),
            xmin_age=_transactions(cells),
        )
    ]


def _prepared(cells: Cells, line: Line, context: Context) -> list[Fact]:
    """pg_prepared_xacts, XA RECOVER: a transaction that was prepared and waits for its second phase, of no session."""
    name = cells.get("gid") or cells.get("data") or ""
    seconds = _since(cells.get("prepared") or "", context) or _seconds(cells, "age", "prepared_age")
    return [
        context.fact(
            "session",
            _database(context, cells.get("database") or ""),
            line,
            state="prepared",
            query=name[:500],
            user=cells.get("owner"),
            database=cells.get("database"),
            transaction_seconds=None if seconds is None else round(seconds),
            xmin_age=number(cells.get("xmin_age", "")),
        )
    ]


def _transactions(cells: Cells) -> int | None:
    """How many transactions ago the oldest row version was made that is still kept."""
    told = (number(cells.get(name, "")) for name in ("xmin_age", "backend_xmin_age", "age"))
    return next((int(each) for each in told if each is not None), None)


def _replica(cells: Cells, line: Line, context: Context) -> list[Fact]:
    running = [
        cells.get(name)
        for name in ("slave_io_running", "slave_sql_running", "replica_io_running", "replica_sql_running")
    ]
    told = [value for value in running if value]
    lag = _seconds(
        cells, "replay_lag", "write_lag", "seconds_behind_master", "seconds_behind_source", "lag", "replication_lag"
    )
    return [
        context.fact(
            "replication",
            _database(context),
            line,
            name=cells.get("application_name")
            or cells.get("client_addr")
            or cells.get("master_host")
            or cells.get("source_host"),
            role="replica",
            active=all(value == "Yes" for value in told) if told else None,
            lag_seconds=lag,
            state=cells.get("state")
            or cells.get("slave_sql_running_state")
            or cells.get("last_error")
            or cells.get("last_sql_error"),
            lag_bytes=size(cells.get("lag_bytes", "").replace("bytes", "").strip()),
            type=cells.get("sync_state"),
            xmin=cells.get("backend_xmin"),
            xmin_age=_transactions(cells) if cells.keys() & {"backend_xmin", "backend_xmin_age", "xmin_age"} else None,
        )
    ]


def _named_setting(cells: Cells, line: Line, context: Context) -> list[Fact]:
    name = cells.get("name") or cells.get("variable_name") or ""
    value = cells.get("setting", cells.get("value", ""))
    pending = truth(cells.get("pending_restart", ""))
    return [
        _setting(
            name,
            value,
            line,
            context,
            unit=cells.get("unit"),
            origin=cells.get("source") or cells.get("sourcefile"),
            pending=pending,
        )
    ]


def _shown(cells: Cells, line: Line, context: Context) -> list[Fact]:
    name, value = next(iter(cells.items()))
    if name == "version" and (match := re.search(r"(\w+) (\d+(?:\.\d+)+)", value)):
        return [context.fact("version", context.place, line, name=match[1].lower(), version=match[2])]
    return [_setting(name, value, line, context)]


def _statistics(cells: Cells, line: Line, context: Context) -> list[Fact]:
    """pg_stat_statements and digests."""
    statement = cells.get("query") or cells.get("digest_text") or ""
    mean, total = (number(cells.get(f"{name}_exec_time", cells.get(f"{name}_time", ""))) for name in ("mean", "total"))
    return [
        context.fact(
            "sql",
            safe_entity("query", " ".join(statement.split())),
            line,
            statement=statement[:500],
            calls=number(cells.get("calls", cells.get("count_star", ""))),
            rows=number(cells.get("rows", "")),
            mean_seconds=None if mean is None else mean / 1000,
            total_seconds=None if total is None else total / 1000,
        )
    ]


def _relation(cells: Cells, line: Line, context: Context) -> list[Fact]:
    name = cells.get("relname") or cells.get("relation") or cells.get("table_name") or cells.get("datname") or ""
    told = next((value for key, value in cells.items() if "size" in key and value), "")
    return [
        context.fact("directory", _database(context), line, path=name, size=size(told.replace("bytes", "").strip()))
    ]


def _parts(cells: Cells, line: Line, context: Context) -> list[Fact]:
    """system.parts of ClickHouse: what each table takes on disk."""
    named = [cells[key] for key in ("database", "table") if cells.get(key)]
    sizes = [found for value in cells.values() if value not in named and (found := size(value)) is not None]
    if not named or not sizes:
        return _note(cells, line, context)
    return [context.fact("index", _database(context), line, name=".".join(named), size=max(sizes))]


def _sequence(cells: Cells, line: Line, context: Context) -> list[Fact]:
    """Where a sequence stands: select last_value, is_called from NAME."""
    name = cells.get("sequencename") or _from(context)
    return [_setting(name, cells["last_value"], line, context, origin=SEQUENCE)] if name else []


def _largest(cells: Cells, line: Line, context: Context) -> list[Fact]:
    """The largest value of a column: select max(id) from NAME."""
    match = _MAX.search(context.command.line)
    if match is None or len(cells) != 1:
        return _note(cells, line, context)
    return [_setting(_from(context), next(iter(cells.values())), line, context, unit=match[1], origin=LARGEST)]


def _from(context: Context) -> str:
    match = _FROM.search(context.command.line)
    return match[1].rpartition(".")[2].strip('"') if match else ""


def _note(cells: Cells, line: Line, context: Context) -> list[Fact]:
    text = ", ".join(f"{name}={value}" for name, value in cells.items())
    return [context.fact("note", _database(context), line, name=" ".join(cells)[:120], text=text[:500])]


Reader = Callable[[Cells, Line, Context], list[Fact]]
_READERS: Final[tuple[tuple[Reader, frozenset[str], str], ...]] = (
    (_slot, frozenset({"slot_name"}), ""), (_prepared, frozenset({"gid", "prepared"}), ""),
    (_prepared, frozenset({"gid"}), "pg_prepared_xacts"), (_prepared, frozenset({"formatid", "data"}), ""),
    (_replica, frozenset({"sync_state"}), ""), (_replica, frozenset({"replay_lag"}), ""), (_replica,
    frozenset({"slave_io_running"}), ""),
    (_replica, frozenset({"replica_io_running"}), ""), (_replica, frozenset(), "pg_stat_replication"),
    (_session, frozenset({"pid", "state"}), ""), (_session, frozenset({"locktype", "mode"}), ""), (_session,
    frozenset({"blocked_pid"}), ""),
    (_session, frozenset({"command", "time", "state", "info"}), ""), (_session, frozenset({"wait_event"}), ""),
    (_session, frozenset({"trx_mysql_thread_id"}), ""), (_session, frozenset({"waiting_pid"}), ""),
    (_session, frozenset({"thread_id", "lock_mode"}), ""), (_session, frozenset({"lock_type", "lock_status"}), ""),
    (_statistics, frozenset({"query", "calls"}), ""), (_statistics, frozenset({"digest_text"}), ""),
    (_named_setting, frozenset({"name", "setting"}), ""), (_named_setting, frozenset({"variable_name", "value"}), ""),
    (_session, frozenset(), "pg_stat_activity"), (_session, frozenset(), "processlist"), (_session, frozenset(),
    "pg_locks"),
    (_sequence, frozenset({"last_value"}), ""), (_largest, frozenset({"max"}), ""),
    (_parts, frozenset(), "system.parts"),
    (_relation, frozenset(), "_size("), (_shown, frozenset(), " show "),
)  # fmt: skip


PARSERS: Final = (
    Parser(
        "sql",
        parse,
        ("sql", "psql", "mysql", "mariadb", "mysqladmin", "sqlite3", "cockroach sql", "clickhouse-client", "cqlsh"),
        looks=re.compile(r"^\s*\S+(?:\s+\|\s+\S+)+\s*\n-+(?:\+-+)+\s*$|^\+-+\+[-+]*\n\|", re.MULTILINE),
    ),
)
