"""Joins of what programs say in passing with what was read of them."""

from analysis.joins import (
    heartbeats,
    hidden_files,
    other_port,
    schedulers,
    sent_back,
    sequences,
    small_pools,
    unlistened,
)
from domain.evidence import Finding
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding


def setting(of: str, name: str, value: int, origin: str, unit: str = "id") -> Fact:
    return fact("setting", of, name=name, value=value, origin=origin, unit=unit)


def behind(last: int, most: int, *, of: str = "database:shop", table: str = "orders") -> int:
    facts = [setting("database:shop", "orders_id_seq", last, "sequence"), setting(of, table, most, "largest value")]
    return len(list(sequences.joined(case(facts))))


def test_a_sequence_below_the_largest_id_of_its_own_table_is_behind() -> None:
    assert behind(10, 400) == 1
    assert behind(400, 400) == behind(500, 400) == 0
    assert behind(10, 400, of="database:other") == behind(10, 400, table="users") == 0


def missed(source: str = "logs/mq.log") -> Finding:
    return finding("container:mq", "queue.heartbeat_missed", source=source, signature="queue-heartbeat-missed/missed")


def closed(of: str = "container:worker") -> Finding:
    return finding(
        of, "queue.heartbeat_missed", source="logs/mq.log", signature="queue-heartbeat-missed/closed", client=of
    )


def test_the_client_of_the_closed_connection_missed_its_heartbeats() -> None:
    assert [told.fact.entity for told in heartbeats.joined(case([], [missed(), closed()]))] == ["container:worker"]


def test_a_closed_connection_alone_in_another_log_or_of_the_broker_is_no_missed_heartbeat() -> None:
    assert list(heartbeats.joined(case([], [closed()]))) == []
    assert list(heartbeats.joined(case([], [missed("logs/other.log"), closed()]))) == []
    assert list(heartbeats.joined(case([], [missed(), closed("container:mq")]))) == []


def hidden(mount: str, of: str = "container:app") -> list[object]:
    misses = finding("container:app", "config.mount_hides", signature="config-mount-hides/missing")
    facts = [fact("container", of, mounts=[mount])]
    return [told.fact.attributes["value"] for told in hidden_files.joined(case(facts, [misses]))]


def test_a_mount_over_the_program_hides_its_modules_and_one_beside_it_does_not() -> None:
    assert hidden("/srv/app:/app:rw") == ["/app"]
    assert hidden("data:/app/uploads") == hidden("data:/var/lib/app") == hidden("/srv/app:/app", of="container:b") == []


def small(*env: str, of: str = "container:jobs") -> int:
    waited = finding("container:jobs", "database.connection_leak", signature="database-connection-leak/pool_timeout")
    return len(list(small_pools.joined(case([fact("container", of, env=list(env))], [waited]))))


def test_threads_above_the_pool_are_too_many_for_it() -> None:
    assert small("SIDEKIQ_CONCURRENCY=20", "RAILS_MAX_THREADS=5") == 1
    assert small("SIDEKIQ_CONCURRENCY=5", "RAILS_MAX_THREADS=5") == small("SIDEKIQ_CONCURRENCY=20") == 0
    assert small("SIDEKIQ_CONCURRENCY=20", "DB_POOL=5", of="container:web") == 0


def test_processes_have_a_pool_each() -> None:
    assert small("WEB_CONCURRENCY=8", "RAILS_MAX_THREADS=5") == 0


def sends(of: str, job: str = "app.clean") -> Finding:
    return finding(of, "host.duplicate_scheduler", signature="host-duplicate-scheduler/sends", job=job)


def test_two_programs_that_send_one_job_are_two_schedulers() -> None:
    assert len(list(schedulers.joined(case([], [sends("container:a"), sends("container:b")])))) == 1
    assert list(schedulers.joined(case([], [sends("container:a"), sends("container:a")]))) == []
    assert list(schedulers.joined(case([], [sends("container:a"), sends("container:b", "app.other")]))) == []
    everybodys = "celery.backend_cleanup"
    assert list(schedulers.joined(case([], [sends("container:a", everybodys), sends("container:b", everybodys)]))) == []


def waiting(name: str, messages: int, listened: str = "celery") -> list[object]:
    takes = finding("container:worker", "queue.no_consumer", signature="queue-no-consumer/listens", listened=listened)
    queue = fact("queue", f"queue:{name}", name=name, messages=messages)
    return [told.fact.attributes["name"] for told in unlistened.joined(case([queue], [takes]))]


def test_a_queue_that_no_worker_takes_from_is_not_listened_to() -> None:
    assert waiting("mails", 5000) == ["mails"]
    assert waiting("celery", 5000) == waiting("mails", 3) == []


def test_what_is_laid_aside_waits_for_nobody() -> None:
    assert waiting("mails.dlq", 5000) == waiting("dead-letters", 500) == waiting("orders_retry", 500) == []
    assert waiting("dlqueries", 500) == ["dlqueries"]


def asked(port: str, *, state: str = "running", statement: str = "refused") -> int:
    says = finding("container:web", "config.port_mismatch", signature="config-port-mismatch/listens", port="8080")
    refused = Finding(f"container:web:{port}", "proxy.upstream_down", f"connection {statement}", says.citations)
    return len(list(other_port.joined(case([fact("container", "container:web", state=state)], [says, refused]))))


def test_a_program_that_is_refused_where_it_does_not_listen_is_asked_at_the_wrong_port() -> None:
    assert asked("80") == 1
    assert asked("8080") == asked("80", state="exited") == asked("80", statement="timed out") == 0


def sent(upstream: str, client: str = "10.0.0.1", of: str = "container:dns") -> int:
    asked = finding(of, "dns.forward_loop", signature="dns-forward-loop/asked", client=client)
    forwarded = finding("container:dns", "dns.forward_loop", signature="dns-forward-loop/forwarded", upstream=upstream)
    return len(list(sent_back.joined(case([], [asked, forwarded]))))


def test_a_query_that_goes_back_to_its_asker_goes_in_circles() -> None:
    assert sent("10.0.0.1") == 1
    assert sent("9.9.9.9") == sent("10.0.0.1", of="container:other") == sent("127.0.0.1", "127.0.0.1") == 0
