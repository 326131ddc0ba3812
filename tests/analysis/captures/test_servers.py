"""Output of databases, queues, caches and cloud tools."""

# ruff: noqa: E501 (samples are as long as programs print them)

import json

from tests.analysis.captures.reading import only, read, told


def test_sessions_slots_and_settings_of_psql() -> None:
    session = told(
        "shop=# select pid, state, wait_event_type, query from pg_stat_activity;\n pid |        state        | wait_event_type |  query\n-----+---------------------+-----------------+---------\n  71 | idle in transaction | Client          | UPDATE x\n(1 row)\n",
        "session",
    )
    assert (session["pid"], session["state"], session["wait_type"], session["query"]) == (
        71,
        "idle in transaction",
        "Client",
        "UPDATE x",
    )
    slot = only(
        "$ docker exec db psql -c 'select * from pg_replication_slots'\n slot_name | slot_type | active | wal_status | retained\n-----------+-----------+--------+------------+----------\n old       | physical  | f      | extended   | 130 GB\n(1 row)\n",
        "replication",
    )
    assert (slot.entity, slot.attributes["active"], slot.attributes["retained_bytes"]) == (
        "database:db",
        False,
        130_000_000_000,
    )
    assert told("$ psql -Atc 'show max_connections'\n100\n", "setting") == {"name": "max_connections", "value": 100}
    counts = read('$ psql -Atc "select state, count(*) from pg_stat_activity group by 1"\nidle|97\nactive|3\n')
    assert [(f.attributes["state"], f.attributes["count"]) for f in counts] == [("idle", 97), ("active", 3)]
    assert told("shop=# show jit;\n jit\n-----\n on\n(1 row)\n", "setting") == {"name": "jit", "value": "on"}
    assert told("$ psql -c 'select version()' -At\nPostgreSQL 16.2 on x86_64-pc-linux-gnu\n", "version") == {
        "name": "postgresql",
        "version": "16.2",
    }


def test_expanded_rows_and_blocked_sessions() -> None:
    text = "shop=> select * from blocked;\n-[ RECORD 1 ]---+----\nblocked_pid     | 12\nblocking_pid    | 9\nblocked_query   | UPDATE a\n"
    session = told(text, "session")
    assert (session["pid"], session["blocked_by"], session["query"]) == (12, [9], "UPDATE a")


def test_mysql_tables_and_replicas() -> None:
    text = "mysql> show processlist;\n+----+------+------+------+---------+------+--------------+-----------+\n| Id | User | Host | db   | Command | Time | State        | Info      |\n+----+------+------+------+---------+------+--------------+-----------+\n|  5 | app  | web  | shop | Query   |  900 | Waiting for table metadata lock | ALTER x |\n+----+------+------+------+---------+------+--------------+-----------+\n"
    session = told(text, "session")
    assert (session["user"], session["age_seconds"], session["state"]) == (
        "app",
        900.0,
        "Waiting for table metadata lock",
    )
    replica = told(
        "mysql> show slave status\\G\n*************************** 1. row ***************************\nSlave_IO_Running: Yes\nSlave_SQL_Running: No\nSeconds_Behind_Master: 700\n",
        "replication",
    )
    assert (replica["active"], replica["lag_seconds"]) == (False, 700.0)


def test_redis_tells_memory_saves_and_settings() -> None:
    text = "$ redis-cli INFO\n# Memory\nused_memory:1048576\nmaxmemory:2097152\nmaxmemory_policy:noeviction\n# Persistence\nrdb_last_bgsave_status:err\n# Stats\nkeyspace_hits:1\nkeyspace_misses:3\nrejected_connections:9\n"
    cache = only(text, "cache")
    assert (
        cache.attributes["max_memory"],
        cache.attributes["policy"],
        cache.attributes["fork_status"],
        cache.attributes["hit_percent"],
    ) == (2097152, "noeviction", "err", 25.0)
    assert cache.quote == "rdb_last_bgsave_status:err"
    assert told('$ redis-cli CONFIG GET maxmemory\n1) "maxmemory"\n2) "0"\n', "setting") == {
        "name": "maxmemory",
        "value": 0,
    }
    assert told("$ redis-cli ping\nPONG\n", "probe")["ok"] is True


def test_mongo_members_and_warnings() -> None:
    text = "rs0:SECONDARY> rs.status()\n{\n  members: [\n    { \n      name: 'mongo-1:27017',\n      health: 0,\n      stateStr: '(not reachable/healthy)',\n    },\n    {\n      name: 'mongo-2:27017',\n      health: 1,\n      stateStr: 'SECONDARY',\n    }\n  ]\n}\n"
    one, two = read(text)
    assert (one.entity, one.attributes["active"], two.attributes["role"]) == ("database:mongo-1", False, "secondary")
    assert (
        told(
            "> db.adminCommand({getLog: 'startupWarnings'})\n** WARNING: Access control is not enabled for the database.\n",
            "note",
        )["name"]
        == "startup warning"
    )


def test_queues_clusters_and_lag() -> None:
    queue = told(
        "$ rabbitmqctl list_queues name messages consumers\nTimeout: 60.0 seconds ...\nListing queues for vhost / ...\nname\tmessages\tconsumers\norders\t90000\t0\n",
        "queue",
    )
    assert (queue["name"], queue["messages"], queue["consumers"]) == ("orders", 90000, 0)
    cluster = told(
        "$ rabbitmqctl cluster_status\nCluster status of node rabbit@mq-0 ...\n\nDisk Nodes\n\nrabbit@mq-0\nrabbit@mq-1\n\nRunning Nodes\n\nrabbit@mq-0\n\nAlarms\n\nMemory alarm on node rabbit@mq-0\n\nNetwork Partitions\n\n(none)\n",
        "cluster",
    )
    assert (cluster["missing_nodes"], cluster["alarms"], cluster["status"]) == (
        ["rabbit@mq-1"],
        ["Memory alarm on node rabbit@mq-0"],
        "alarm",
    )
    nodes = {
        "data": {
            "nodes": [{"node": "r@a", "running": True}, {"node": "r@b", "running": False}],
            "network_partitions_detected": True,
            "partition_details": [{"node": "r@a", "unreachable_nodes": ["r@b"]}],
        }
    }
    parted = next(f for f in read(json.dumps(nodes), "artifacts/cluster.json") if f.kind == "cluster")
    assert (parted.attributes["status"], parted.attributes["partitions"]) == ("partitioned", ["r@a cannot reach r@b"])
    lag = told(
        "$ kafka-consumer-groups.sh --describe --group g --bootstrap-server k:9092\n\nGROUP  TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG    CONSUMER-ID  HOST  CLIENT-ID\ng      orders  0          10              5000            4990   -            -     -\n",
        "queue",
    )
    assert (lag["lag"], lag["consumers"], lag["group"]) == (4990, 0, "g")
    assert (
        told(
            "$ kafka-topics.sh --describe\nTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1\n", "queue"
        )["state"]
        == "under-replicated"
    )


def test_elasticsearch_health_indices_and_blocks() -> None:
    health = told(
        '$ curl -s es:9200/_cluster/health\n{"cluster_name": "logs", "status": "red", "number_of_nodes": 1, "unassigned_shards": 9}\n',
        "cluster",
    )
    assert (health["status"], health["shards_unassigned"]) == ("red", 9)
    index = told(
        "$ curl -s es:9200/_cat/indices?v\nhealth status index  uuid pri rep docs.count docs.deleted store.size pri.store.size\nred    open   logs-1 u1     1   1         10            0       10gb            5gb\n",
        "index",
    )
    assert (index["name"], index["health"]) == ("logs-1", "red")


def test_pods_of_a_cloud_tool_tell_running_containers_without_an_exit_code() -> None:
    pods = {
        "pods": [
            {
                "name": "pay-7f9dd8b6c4-k2m4p",
                "phase": "Running",
                "node_name": "n1",
                "containers": [
                    {
                        "name": "pay",
                        "ready": False,
                        "restart_count": 4,
                        "state": {"running": True, "exit_code": 0},
                        "last_state": {"terminated": {"reason": "OOMKilled", "exit_code": 137}},
                    }
                ],
                "conditions": [
                    {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "unready: [pay]"}
                ],
            }
        ]
    }
    pod, container = read(json.dumps(pods), "artifacts/pods.json")
    assert (pod.attributes["ready"], pod.attributes["restarts"], pod.attributes["owner"], pod.attributes["reason"]) == (
        False,
        4,
        "workload/pay",
        "ContainersNotReady",
    )
    assert (
        container.attributes["state"],
        container.attributes["last_reason"],
        "exit_code" in container.attributes,
    ) == ("running", "OOMKilled", False)


def test_database_load_tells_the_statement_and_what_it_waits_for() -> None:
    load = {
        "db_instance_identifier": "shop",
        "top_sql": [
            {
                "statement": "SELECT a, b FROM t",
                "db_load_avg": 7.2,
                "calls_per_sec": 3,
                "wait_events": [{"name": "CPU", "db_load_avg": 1}, {"name": "Lock:tuple", "db_load_avg": 6}],
            }
        ],
        "top_users": [{"name": "app", "db_load_avg": 7}],
    }
    statement, user = read(json.dumps(load), "artifacts/load.json")
    assert (statement.entity, statement.attributes["wait_event"], statement.attributes["load"]) == (
        "query:SELECT a",
        "Lock:tuple",
        7.2,
    )
    assert (user.entity, user.attributes) == ("database:shop", {"user": "app", "load": 7})


def test_event_lines_of_collectors() -> None:
    text = "2026-02-01T10:00:00Z Warning BackOff Pod/web-1 namespace=shop count=8 first=2026-02-01T09:00:00Z: Back-off restarting\n2026-02-01T10:00:00Z db-instance shop-prod [notification,failure] DB instance storage is getting low.\n2026-02-01T10:00:00Z db-instance shop-prod [backup] Backup done.\n"
    pod, database, backup = read(text, "logs/kubernetes-events.log")
    assert (pod.entity, pod.attributes["count"], pod.attributes["message"]) == ("pod:web-1", 8, "Back-off restarting")
    assert (database.entity, database.attributes["type"], backup.attributes["type"]) == (
        "database:shop-prod",
        "Warning",
        "Normal",
    )


def test_monitors_tell_what_they_watch_and_how_it_stands() -> None:
    monitors = {
        "monitors": [
            {
                "name": "latency",
                "query": "avg(last_5m):x > 2",
                "overall_state": "Alert",
                "tags": ["service:pay"],
                "message": "slow",
            }
        ]
    }
    fact = only(json.dumps(monitors), "object", "artifacts/monitors.json")
    assert (fact.entity, fact.attributes["status"], fact.attributes["type"]) == ("service:pay", "Alert", "monitor")


def test_series_of_prometheus_answers_keep_their_last_value() -> None:
    answer = {
        "status": "success",
        "query": "up",
        "data": {
            "resultType": "matrix",
            "result": [{"metric": {"__name__": "up", "job": "a"}, "values": [[1, "1"], [2, "0"]]}],
        },
    }
    fact = only("# execute_prometheus_range_query {}\n" + json.dumps(answer), "reading")
    assert (fact.attributes["name"], fact.attributes["value"], fact.attributes["command"]) == ("up{job=a}", 0.0, "up")


def test_a_store_of_secrets_says_whether_it_is_sealed() -> None:
    table = "Key             Value\n---             -----\nSeal Type       shamir\nInitialized     true\nSealed          {}\nTotal Shares    5\nThreshold       3\nUnseal Progress  {}\nVersion         1.15.0\n"
    sealed = only("$ docker exec keys vault status\n" + table.format("true", "1/3"), "cluster")
    assert (sealed.entity, sealed.attributes["status"], sealed.attributes["message"]) == (
        "container:keys",
        "sealed",
        "1 of 3 unseal keys given",
    )
    assert (sealed.quote or "").startswith("Sealed ")
    assert told("$ bao status\n" + table.format("false", "0/3"), "cluster")["status"] == "unsealed"
    body = '{"type": "shamir", "initialized": true, "sealed": true, "t": 3, "n": 5, "progress": 0}'
    asked = only(f"$ curl -s http://keys:8200/v1/sys/seal-status\n{body}\n", "cluster")
    assert (asked.entity, asked.attributes["status"]) == ("service:keys", "sealed")


def test_transactions_and_metadata_locks_of_mysql_are_sessions_and_names_of_columns_are_no_row() -> None:
    (trx,) = read(
        "$ mysql -e 'select trx_mysql_thread_id, trx_state, trx_started, trx_query from information_schema.innodb_trx'\n"
        "trx_mysql_thread_id\ttrx_state\ttrx_started\ttrx_query\n71\tRUNNING\t2026-03-01 11:00:00\tNULL\n"
    )
    assert (trx.attributes["pid"], trx.attributes["state"], trx.attributes["transaction_seconds"]) == (
        71,
        "RUNNING",
        3600,
    )
    (lock,) = read(
        "$ mysql -e 'select THREAD_ID, LOCK_MODE, TABLE_NAME from information_schema.metadata_lock_info'\n"
        "THREAD_ID\tLOCK_MODE\tTABLE_NAME\n71\tMDL_SHARED_READ\tcarts\n"
    )
    assert (lock.attributes["pid"], lock.attributes["relation"]) == (71, "carts")
    assert told("$ mysql -N -e \"show variables like 'max_connections'\"\nmax_connections\t151\n", "setting") == {
        "name": "max_connections",
        "value": 151,
    }


def test_kcat_tells_where_the_broker_sends_its_clients() -> None:
    sample = """$ kcat -b 10.1.1.1:9092 -L
Metadata for all topics (from broker 1: 10.1.1.1:9092/1):
 1 brokers:
  broker 1 at localhost:9092 (controller)
"""
    found = told(sample, "setting")
    assert (found["value"], found["origin"]) == ("localhost:9092", "10.1.1.1:9092")


def test_alarms_of_rabbitmq_are_listed_or_there_are_none() -> None:
    command = "$ docker exec mq rabbitmq-diagnostics alarms\n"
    found = told(command + "Node rabbit@mq reported the following local alarms:\nmemory\n", "cluster")
    assert (found["alarms"], found["status"]) == (["memory"], "alarm")
    assert told(command + "Node rabbit@mq reported no alarms, local or clusterwide\n", "cluster")["status"] == "ok"


def test_clients_slow_commands_and_queues_of_redis() -> None:
    pool = told("$ redis-cli info clients\n# Clients\nconnected_clients:900\nmaxclients:1000\n", "pool")
    assert (pool["active"], pool["max"], pool["used_percent"]) == (900, 1000, 90.0)
    text = '$ redis-cli slowlog get 2\n1) 1) (integer) 7\n   2) (integer) 1741942801\n   3) (integer) 2500000\n   4) 1) "KEYS"\n      2) "*"\n   5) "10.0.0.9:4811"\n   6) "janitor"\n2) 1) (integer) 6\n   2) (integer) 1741942741\n   3) (integer) 12000\n   4) 1) "GET"\n      2) "a"\n   5) "10.0.0.8:4811"\n   6) ""\n'
    slow = [(f.attributes["statement"], f.attributes["mean_seconds"], f.attributes.get("user")) for f in read(text)]
    assert slow == [("KEYS *", 2.5, "janitor"), ("GET a", 0.012, "10.0.0.8")]
    queue = told("$ redis-cli llen mails\n(integer) 400\n", "queue")
    assert (queue["name"], queue["messages"]) == ("mails", 400)


def test_largest_ids_sequences_and_sizes_of_parts() -> None:
    text = "$ psql -c 'select max(id) from orders'\n max\n-----\n 900\n(1 row)\n"
    assert told(text, "setting") == {"name": "orders", "value": 900, "unit": "id", "origin": "largest value"}
    text = "$ psql -c 'select last_value, is_called from orders_id_seq'\n last_value | is_called\n------------+-----------\n         43 | t\n(1 row)\n"
    assert told(text, "setting") == {"name": "orders_id_seq", "value": 43, "origin": "sequence"}
    text = '$ clickhouse-client -q "select database, table, formatReadableSize(sum(bytes_on_disk)) s from system.parts group by 1,2 format PrettyCompact"\n┌─database─┬─table─────┬─s──────────┐\n│ system   │ trace_log │ 101.12 GiB │\n└──────────┴───────────┴────────────┘\n'
    assert told(text, "index") == {"name": "system.trace_log", "size": 108576773243}
