"""Output of the container engine."""

# ruff: noqa: E501 (samples are as long as programs print them)

import json

from tests.analysis.captures.reading import only, read, told

INSPECT = {
    "Id": "ab" * 32, "Name": "/pay", "RestartCount": 0, "Platform": "linux",
    "State": {
        "Status": "running", "Running": True, "OOMKilled": False, "ExitCode": 0, "StartedAt": "2026-01-01T00:00:00Z", "FinishedAt": "0001-01-01T00:00:00Z",
        "Health": {"Status": "unhealthy", "FailingStreak": 9, "Log": [{"ExitCode": 1, "Output": "wget: bad address\n"}, {"ExitCode": 0, "Output": ""}]},
    },
    "Config": {"Image": "pay:3", "Healthcheck": {"Test": ["CMD-SHELL", "wget -q localhost"]}, "Env": ["A=1"], "Cmd": ["run", "it"], "ExposedPorts": {"80/tcp": {}}},
    "HostConfig": {
        "Memory": 0, "PidsLimit": 100, "ShmSize": 67108864, "Init": None, "RestartPolicy": {"Name": "always"}, "NanoCpus": 500000000,
        "Ulimits": [{"Name": "nofile", "Soft": 1024, "Hard": 4096}], "SecurityOpt": ["seccomp=unconfined"], "CapAdd": ["NET_ADMIN"],
    },
    "Mounts": [{"Type": "volume", "Name": "pay_data", "Destination": "/data", "Mode": "z", "RW": True}, {"Type": "bind", "Source": "/etc/pay", "Destination": "/conf", "RW": False}],
    "NetworkSettings": {"Networks": {"shop": {"IPAddress": "172.18.0.9", "Aliases": ["pay", "abababababab"]}}, "Ports": {"80/tcp": [{"HostIp": "0.0.0.0", "HostPort": "8080"}]}},
}  # fmt: skip


def test_inspect_tells_state_limits_health_mounts_and_networks() -> None:
    fact = only(json.dumps([INSPECT]), "container", "artifacts/inspect.json")
    seen = fact.attributes
    assert fact.entity == "container:pay" and fact.quote is None
    assert (seen["state"], seen["health"], seen["health_streak"], seen["health_output"], seen["health_exit_code"]) == (
        "running",
        "unhealthy",
        9,
        "wget: bad address",
        1,
    )
    assert (seen["health_command"], seen["pids_limit"], seen["cpu_limit"], seen["init"]) == (
        "wget -q localhost",
        100,
        0.5,
        False,
    )
    assert seen["mounts"] == ["pay_data:/data:z", "/etc/pay:/conf:ro"] and seen["networks"] == ["shop=172.18.0.9"]
    assert seen["ports"] == ["0.0.0.0:8080->80/tcp"] and seen["ulimits"] == ["nofile=1024:4096"]
    assert (
        seen["security"] == ["seccomp=unconfined", "cap_add=NET_ADMIN"]
        and "memory_limit" not in seen
        and "finished_at" not in seen
    )


def test_inspect_tells_that_nothing_is_mounted_only_where_it_was_asked() -> None:
    bare = {name: value for name, value in INSPECT.items() if name != "Mounts"}
    assert only(json.dumps([bare | {"Mounts": []}]), "container", "artifacts/inspect.json").attributes["unmounted"]
    for document in (bare, INSPECT):
        assert "unmounted" not in only(json.dumps([document]), "container", "artifacts/inspect.json").attributes


def test_a_check_without_times_of_its_own_has_the_engine_s() -> None:
    seen = told("$ docker inspect pay\n" + json.dumps([INSPECT]) + "\n", "container")
    times = [seen[f"health_{name}"] for name in ("interval", "timeout", "retries", "start_period")]
    assert times == [30, 30, 3, 0]


def test_networks_and_volumes_of_inspect_are_facts_of_their_own() -> None:
    network = {
        "Name": "shop",
        "Driver": "bridge",
        "IPAM": {"Config": [{"Subnet": "172.18.0.0/16"}]},
        "Containers": {"x": {"Name": "pay", "IPv4Address": "172.18.0.9/16"}},
    }
    volume = {"Name": "pay_data", "Driver": "local", "Mountpoint": "/var/lib/docker/volumes/pay_data/_data"}
    facts = read("$ docker inspect shop pay_data\n" + json.dumps([network, volume], indent=1))
    assert [(f.kind, f.entity) for f in facts] == [("docker_network", "network:shop"), ("volume", "volume:pay_data")]
    assert facts[0].attributes["addresses"] == ["pay=172.18.0.9"]


def test_one_field_of_inspect_is_typed_and_cited() -> None:
    fact = only("$ docker inspect -f '{{.State.OOMKilled}}' pay\ntrue\n", "container")
    assert (fact.entity, fact.attributes, fact.line, fact.quote) == ("container:pay", {"oom_killed": True}, 2, "true")


def test_ps_tells_state_exit_code_and_health() -> None:
    text = (
        "$ docker ps -a\n"
        "CONTAINER ID   IMAGE          COMMAND                  CREATED       STATUS                         PORTS                NAMES\n"
        'aaaaaaaaaaaa   shop/web:1     "nginx -g daemon off"    2 hours ago   Up 2 hours (unhealthy)         0.0.0.0:80->80/tcp   web\n'
        'bbbbbbbbbbbb   shop/job:1     "/job"                   2 hours ago   Exited (137) 3 minutes ago                          job\n'
        'cccccccccccc   shop/api:1     "/api"                   2 hours ago   Restarting (1) 4 seconds ago                        api\n'
    )
    web, job, api = read(text)
    assert (web.entity, web.attributes["state"], web.attributes["health"], web.attributes["ports"]) == (
        "container:web",
        "running",
        "unhealthy",
        ["0.0.0.0:80->80/tcp"],
    )
    assert (job.attributes["state"], job.attributes["exit_code"], job.line) == ("exited", 137, 4)
    assert (api.attributes["state"], api.attributes["exit_code"]) == ("restarting", 1)


def test_ps_with_a_format_is_read_by_its_status() -> None:
    web = only("$ docker ps --format '{{.Names}}\\t{{.Status}}'\nweb\tUp 3 days\n", "container")
    assert web.entity == "container:web" and web.attributes["state"] == "running"


def test_a_status_of_a_template_with_blanks_ends_where_the_ports_begin() -> None:
    rows = "web Up 5 weeks (healthy) 0.0.0.0:8080->80/tcp\njob Exited (1) 2 hours ago \n"
    web, job = read(f"$ docker ps --format '{{{{.Names}}}} {{{{.Status}}}} {{{{.Ports}}}}'\n{rows}")
    assert (web.attributes["status"], web.attributes["health"]) == ("Up 5 weeks (healthy)", "healthy")
    assert web.attributes["ports"] == ["0.0.0.0:8080->80/tcp"]
    assert (job.attributes["exit_code"], "ports" in job.attributes) == (1, False)


def test_what_a_container_may_do_less_than_others_is_told() -> None:
    host = {"CapAdd": ["CHOWN"], "CapDrop": ["ALL"], "ReadonlyRootfs": True, "SecurityOpt": None}
    text = json.dumps([{"Id": "ab" * 32, "Name": "/web", "State": {"Status": "running"}, "HostConfig": host}])
    assert told(f"$ docker inspect web\n{text}\n", "container")["security"] == [
        "cap_add=CHOWN", "cap_drop=ALL", "read_only_root",
    ]  # fmt: skip


def test_events_of_the_text_form_tell_exit_codes_and_time() -> None:
    line = f"2026-02-01T10:00:00.000000000Z container die {'ab' * 32} (exitCode=137, image=shop/api:1, name=api)"
    fact = only(f"$ docker events --since 1h\n{line}\n", "event")
    assert (fact.entity, fact.attributes["exit_code"], fact.attributes["action"]) == ("container:api", 137, "die")
    assert fact.at is not None and fact.at.isoformat() == "2026-02-01T10:00:00+00:00"


def test_health_events_keep_their_verb_apart_from_the_state() -> None:
    event = {
        "Type": "container",
        "Action": "health_status: unhealthy",
        "Actor": {"ID": "c" * 64, "Attributes": {"name": "api"}},
        "time": 1769900000,
    }
    fact = only(json.dumps(event) + "\n", "event", "artifacts/events.jsonl")
    assert (fact.attributes["reason"], fact.attributes["message"], fact.attributes["action"]) == (
        "health_status",
        "unhealthy",
        "health_status: unhealthy",
    )


def test_stats_in_a_table_and_in_a_format_tell_use_and_limit() -> None:
    table = (
        "$ docker stats --no-stream\n"
        "CONTAINER ID   NAME   CPU %     MEM USAGE / LIMIT   MEM %     NET I/O       BLOCK I/O   PIDS\n"
        "aaaaaaaaaaaa   web    101.50%   50MiB / 100MiB      50.00%    1kB / 2kB     0B / 0B     7\n"
    )
    seen = told(table, "container")
    assert (seen["cpu_percent"], seen["memory_usage"], seen["memory_limit"], seen["pids"]) == (
        101.5,
        50 << 20,
        100 << 20,
        7,
    )
    assert (
        told("$ docker stats --format '{{.Name}} {{.MemUsage}}'\nweb 1GiB / 2GiB\n", "container")["memory_usage"]
        == 1 << 30
    )


def test_the_published_ports_of_one_container_are_told() -> None:
    seen = only("$ docker port web\n80/tcp -> 0.0.0.0:8080\n80/tcp -> [::]:8080\n", "container")
    assert (seen.entity, seen.attributes["ports"]) == ("container:web", ["0.0.0.0:8080->80/tcp", "[::]:8080->80/tcp"])


def test_a_template_of_stats_tells_each_field_whatever_their_order() -> None:
    seen = told(
        "$ docker stats --no-stream --format '{{.PIDs}}\\t{{.Name}} {{.MemUsage}}'\n41\tweb 1GiB / 2GiB\n", "container"
    )
    assert (seen["pids"], seen["memory_limit"]) == (41, 2 << 30)
    assert told("$ docker stats --format '{{.Name}} {{.CPUPerc}}'\nweb 12.5%\n", "container")["cpu_percent"] == 12.5


def test_a_compose_file_tells_the_files_that_it_puts_into_a_container() -> None:
    text = """$ cat compose.yaml
services:
  edge:
    image: edge:1
    configs: [edge_conf, {source: rules, target: /etc/rules}]
    secrets: [key]
"""
    assert only(text, "container").attributes["put_files"] == ["/edge_conf", "/etc/rules", "/run/secrets/key"]


def test_a_compose_file_tells_environment_checks_limits_and_who_needs_whom() -> None:
    text = """\
$ docker compose config
name: shop
services:
  api:
    image: shop/api:1
    environment:
      DB_HOST: db
    depends_on:
      db:
        condition: service_healthy
    mem_limit: 256m
    healthcheck:
      test: [CMD, curl, -f, http://localhost]
    volumes:
      - type: volume
        source: data
        target: /data
  db:
    image: postgres:16
networks:
  default:
    driver_opts:
      com.docker.network.driver.mtu: "1400"
"""
    facts = {fact.entity: fact for fact in read(text)}
    api = facts["container:api"]
    assert (api.attributes["env"], api.attributes["depends_on"], api.attributes["memory_limit"]) == (
        ["DB_HOST=db"],
        ["db"],
        256 << 20,
    )
    assert (api.attributes["health_command"], api.attributes["mounts"], api.line) == (
        "curl -f http://localhost",
        ["data:/data:rw"],
        4,
    )
    assert facts["network:default"].attributes["options"] == ["com.docker.network.driver.mtu=1400"]


def test_docker_version_tells_the_least_api_version_of_the_server() -> None:
    text = "$ docker version\nClient:\n Version:           20.10.5\n API version:       1.41\nServer:\n Engine:\n  Version:          29.1.0\n  API version:      1.52 (minimum version 1.44)\n containerd:\n  Version:          v2.0.1\n"
    seen = [fact.attributes for fact in read(text)]
    assert {"name": "docker api", "version": "1.52", "minimum": "1.44", "server": True} in seen
    assert {"name": "docker api", "version": "1.41", "client": True} in seen and {
        "name": "containerd",
        "version": "2.0.1",
        "server": True,
    } in seen


def test_a_command_that_could_not_start_is_a_failed_probe_of_its_container() -> None:
    fact = only(
        "$ docker exec api ps aux\nOCI runtime exec failed: exec failed: unable to start container process: out of pids\n",
        "probe",
    )
    assert fact.entity == "container:api" and fact.attributes["ok"] is False


def test_network_and_volume_lists_and_disk_use() -> None:
    assert (
        only(
            "$ docker network ls\nNETWORK ID     NAME      DRIVER    SCOPE\n3f1d8e1f2a4b   shop      overlay   swarm\n",
            "docker_network",
        ).attributes["driver"]
        == "overlay"
    )
    assert (
        only("$ docker volume ls\nDRIVER    VOLUME NAME\nlocal     shop_data\n", "volume").entity == "volume:shop_data"
    )
    used = read(
        "$ docker system df\nTYPE            TOTAL     ACTIVE    SIZE      RECLAIMABLE\nImages          5         3         2.1GB     1GB (47%)\nLocal Volumes   9         1         40GB      39GB (97%)\n"
    )
    assert [(f.attributes["path"], f.attributes["size"]) for f in used] == [
        ("docker Images", 2_100_000_000),
        ("docker Local Volumes", 40_000_000_000),
    ]


def test_a_template_of_several_fields_and_a_part_as_json_are_put_together() -> None:
    seen = only(
        "$ docker inspect --format '{{.Name}} {{.State.ExitCode}} oom={{.State.OOMKilled}}' web\n/web 137 oom=true\n",
        "container",
    )
    assert (seen.entity, seen.attributes) == ("container:web", {"exit_code": 137, "oom_killed": True})
    health = told(
        "$ docker inspect -f '{{json .State.Health}}' web\n"
        + json.dumps({"Status": "unhealthy", "FailingStreak": 3, "Log": []})
        + "\n",
        "container",
    )
    assert (health["health"], health["health_streak"]) == ("unhealthy", 3)
    assert "memory_limit" not in told("$ docker inspect -f '{{.HostConfig.Memory}}' web\n0\n", "container")


def test_fields_that_grep_left_of_inspect_are_typed() -> None:
    facts = read(
        '$ docker inspect web | grep -iE "oom|exitcode"\n            "OOMKilled": true,\n            "ExitCode": 137,\n'
    )
    assert [fact.attributes for fact in facts] == [{"oom_killed": True}, {"exit_code": 137}]


def test_volumes_by_a_template_tell_name_and_creation() -> None:
    seen = read(
        "$ docker volume inspect a_x b_x -f '{{.Name}} {{.CreatedAt}}'\na_x 2024-02-03T10:00:00Z\nb_x 2026-01-01T09:00:00Z\n"
    )
    assert [(f.entity, f.attributes["created"]) for f in seen] == [
        ("volume:a_x", "2024-02-03T10:00:00Z"), ("volume:b_x", "2026-01-01T09:00:00Z"),
    ]  # fmt: skip
    assert [f.attributes["name"] for f in read("$ docker volume ls --format '{{.Name}}'\na_x\n")] == ["a_x"]


def test_an_address_inside_a_loop_over_networks_is_the_container_s() -> None:
    text = "$ docker inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' web\n10.5.0.3\n"
    assert [f.attributes["addresses"] for f in read(text)] == [["10.5.0.3"]]


def test_json_and_indexed_fields_of_one_template_are_told_apart() -> None:
    command = (
        "docker inspect api --format '{{json .Config.Healthcheck.Test}} {{json (index .State.Health.Log 0).Output}}'"
    )
    found = told(f'$ {command}\n["CMD-SHELL","curl -f http://x/ || exit 1"] "sh: curl: not found\\n"\n', "container")
    assert found["health_command"] == "curl -f http://x/ || exit 1"
    assert found["health_output"] == "sh: curl: not found"


def test_ps_by_a_template_is_read_by_its_places() -> None:
    sample = "$ docker ps --format '{{.Names}} {{.Ports}}'\nweb 0.0.0.0:80->80/tcp, [::]:80->80/tcp\ndb 5432/tcp\n"
    found = {fact.entity: fact.attributes["ports"] for fact in read(sample)}
    assert found == {"container:web": ["0.0.0.0:80->80/tcp", "[::]:80->80/tcp"], "container:db": ["5432/tcp"]}
    assert "ports" not in told("$ docker ps --format '{{.Names}}: {{.Status}}'\nweb: Up 3 days\n", "container")
