"""Typed facts: what a source says about one thing at one moment, the same from a live source as from a bundle.

A fact has a kind out of FACTS and only attributes that stand there, so that a runbook's state signature can be checked
when it is loaded. Sizes are bytes, durations seconds, shares percent (0..100), times RFC 3339 text.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

Scalar = str | int | float | bool | None
Attribute = Scalar | list[Scalar]


@dataclass(frozen=True)
class Fact:
    """One typed statement of a source."""

    kind: str  # a key of FACTS
    entity: str  # kind:name, the name as the source calls it
    attributes: dict[str, Attribute] = field(default_factory=dict)
    source: str = ""  # path of the file from the bundle's root, or the live source's name
    at: datetime | None = None  # when it was so; None: at the time of capture
    line: int | None = None  # from 1, of a text source
    quote: str | None = None  # the raw text it was read from, one line of 12 to 300 characters, or a whole shorter one


_K8S = "namespace, reason, message, labels, node, owner, age_seconds, service_account"
FACTS: Final[dict[str, str]] = {
    # what runs
    "container": "state, status, reason, exit_code, oom_killed, restart_count, restart_policy, memory_limit, "
    "cpu_limit, pids_limit, shm_size, ulimits, health, health_output, health_command, health_streak, health_exit_code, "
    "health_interval, health_timeout, health_retries, health_start_period, "
    "image, image_id, command, entrypoint, user, env, mounts, networks, addresses, ports, exposed_ports, labels, "
    "privileged, security, log_driver, started_at, finished_at, created_at, error, ready, last_state, last_reason, "
    "last_exit_code, memory_usage, cpu_percent, pids, pids_percent, pod, namespace, service, project, depends_on, "
    "init, network_mode, platform, probes, memory_request, cpu_request, id, hostname, aliases, listed, engine, "
    "heap, heap_option, put_files, unmounted, devices, groups",
    "pod": f"{_K8S}, phase, ready, restarts, qos, scheduled, conditions, volumes, addresses, containers, status, "
    "tolerations, node_selector, affinity, priority, started_at, deleting, claims, host_network",
    "workload": f"{_K8S}, type, desired, ready_replicas, available, updated, unavailable, conditions, image, "
    "containers, strategy, selector, succeeded, failed, backoff_limit, schedule, env, probes, memory_limit, cpu_limit, "
    "heap, heap_option",
    "node": "ready, reason, message, memory_pressure, disk_pressure, pid_pressure, network_unavailable, schedulable, "
    "taints, cpu, memory, pods, pods_capacity, labels, version, os_image, kernel, runtime, conditions, ready_nodes",
    "claim": "phase, storage_class, volume, capacity, access_modes, namespace, reason, message, age_seconds, used_by",
    "storage_class": "provisioner, default, reclaim_policy, binding_mode",
    "object": f"{_K8S}, type, status, exists, data, selector, endpoints, ports, types, pods, ingress, egress, misses, "
    "blocks",  # any other thing of a cluster
    "event": "type, reason, message, count, object, action, exit_code, image, first_at, signal, component, namespace, "
    "age_seconds",
    "process": "pid, ppid, user, state, cpu_percent, memory_percent, rss, vsz, command, elapsed_seconds, count, "
    "open_files, threads, started_at, swap, parent",
    "unit": "load_state, active_state, sub_state, result, exit_code, memory, description, since, restarts",
    # what it runs on
    "filesystem": "size, used, available, use_percent, inodes, inodes_used, inodes_use_percent, mount, device, type, "
    "read_only, options",
    "directory": "path, size, files, former, former_size, share, filler, filler_size",
    "memory": "total, used, free, available, shared, cache, swap_total, swap_used, swap_free, available_percent",
    "load": "load1, load5, load15, cpus, per_cpu, users, uptime_seconds",
    "cpu": "user, system, idle, iowait, steal, cpus, model, flags, architecture, percent, throttled_percent",
    "pressure": "resource, some10, some60, full10, full60",
    "limit": "name, soft, hard, used, pid, unit",
    "kernel": "event, process, pid, cgroup, constraint, device, message, uptime_seconds",
    "setting": "name, value, unit, origin, pending",  # sysctl, SHOW, config files, environment of the host
    "package": "name, version, previous, action",
    "version": "name, version, minimum, client, server",
    "clock": "synchronized, offset_seconds, timezone, local, utc, rtc, ntp",
    "file": "path, size, mode, owner, group, kind, target, exists, modified_at",
    "image": "name, tag, digest, created, architecture, os, size, entrypoint, command, exposed_ports, labels",
    "volume": "name, driver, mountpoint, size, created, containers, options",
    "disk": "device, size, read_only, await_ms, util_percent, read_iops, write_iops, queue, model, errors",
    # the network
    "interface": "name, mtu, state, addresses, rx_errors, tx_errors, rx_dropped, tx_dropped, speed, master, mac, "
    "uplink_mtu, mtu_over",
    "route": "destination, gateway, device, source, metric",
    "socket": "protocol, state, local, remote, process, pid, recv_q, send_q, count, user",
    "docker_network": "name, driver, subnet, gateway, internal, containers, addresses, options, attachable, scope, "
    "trusted",
    "firewall": "chain, table, rule, target, policy, packets, exists, blocks",
    "dns": "query, status, addresses, server, type, seconds, ttl, error, search, answered",
    "probe": "type, target, ok, status, error, seconds, expected, actual, size, loss_percent, host, port, hops, body, "
    "asker, address, server",  # the machine that asked; the address it was told to go to; what the Server header says
    "certificate": "subject, issuer, not_before, not_after, days_left, names, serial, chain_ok, error, self_signed, "
    "path, verify_code, server, renewed, container",
    # servers
    "session": "pid, user, database, state, wait_type, wait_event, query, age_seconds, transaction_seconds, "
    "blocked_by, blocks, application, client, count, lock_type, lock_mode, relation, granted, "
    "holder, xmin_age",
    "sql": "statement, load, calls, rows, mean_seconds, wait_event, wait_load, user, host, total_seconds, share, table",
    "replication": "name, role, active, state, lag_seconds, lag_bytes, retained_bytes, type, database, wal_status, "
    "xmin, xmin_age",
    "queue": "name, messages, ready, unacked, consumers, lag, offset, end_offset, partition, topic, group, state, "
    "memory",
    "cluster": "name, status, nodes, running_nodes, missing_nodes, partitions, alarms, leader, shards_unassigned, "
    "read_only, members, message",
    "cache": "used_memory, max_memory, policy, evicted, keys, hit_percent, fork_status, role, clients, fragmentation, "
    "used_percent",
    "pool": "name, size, active, idle, waiting, max, timeout_seconds, used_percent",
    "index": "name, health, status, docs, size, read_only, shards",
    # anything else that a command printed
    "reading": "command, value, text, name, unit",
    "note": "name, text, value",  # one key and value of a document nobody knows the form of
}


def attributes_of(kind: str) -> frozenset[str]:
    """The attribute names a fact of this kind may have. Raises KeyError for an unknown kind."""
    return frozenset(name.strip() for name in FACTS[kind].split(","))
