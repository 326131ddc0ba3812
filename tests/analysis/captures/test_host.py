"""Output of commands about a machine."""

# ruff: noqa: E501 (samples are as long as programs print them)

import pytest

from tests.analysis.captures.reading import only, read, told


def test_df_tells_space_and_inodes_of_disks_and_of_a_container() -> None:
    space = only(
        "$ df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sdb1       100G   99G  1.0G 100% /srv/data\n",
        "filesystem",
    )
    assert (space.entity, space.attributes["use_percent"], space.attributes["available"]) == (
        "disk:/srv/data",
        100.0,
        1 << 30,
    )
    inodes = only(
        "$ df -i /srv\nFilesystem      Inodes  IUsed IFree IUse% Mounted on\n/dev/sdb1      6553600 6553600     0  100% /srv\n",
        "filesystem",
    )
    assert (inodes.attributes["inodes_use_percent"], inodes.attributes["inodes"]) == (100.0, 6553600)
    assert (
        only(
            "$ docker exec db df /dev/shm\nFilesystem     1K-blocks  Used Available Use% Mounted on\nshm                65536 65536         0 100% /dev/shm\n",
            "filesystem",
        ).entity
        == "container:db"
    )
    typed = told(
        "$ df -hT /\nFilesystem     Type     Size  Used Avail Use% Mounted on\noverlay        overlay   20G   18G  2.0G  90% /\n",
        "filesystem",
    )
    assert (typed["type"], typed["size"]) == ("overlay", 20 << 30)


def test_lsof_tells_who_listens_and_counts_of_ps_tell_users() -> None:
    listens = "systemd-r 8 systemd-resolve 4u IPv4 2 0t0 TCP 127.0.0.53:domain (LISTEN)\njava 1812 tomcat 4u IPv6 20811 0t0 TCP *:http (LISTEN)\nnamed 9 bind 5u IPv4 2 0t0 UDP 10.0.0.2:53\n"
    held = "curl 7 root 5u IPv4 3 0t0 TCP 10.0.0.2:40122->10.0.0.3:443 (ESTABLISHED)\n"
    facts = read(f"$ lsof -i\nCOMMAND PID USER FD TYPE DEVICE SIZE/OFF NODE NAME\n{listens}{held}")
    sockets = [
        (f.attributes["process"], f.attributes["local"], f.attributes["state"]) for f in facts if f.kind == "socket"
    ]
    assert sockets.pop(0) == ("systemd-resolve", "127.0.0.53:53", "LISTEN")
    assert sockets == [("java", "0.0.0.0:80", "LISTEN"), ("named", "10.0.0.2:53", "UNCONN")]
    for command in ("ps -eLo uid=", "ps -eo user=", "ps -eLf | awk '{print $1}'"):
        assert told(f"$ {command} | sort | uniq -c\n  812 app\n", "process")["user"] == "app"
    assert "user" not in told("$ ps -eo comm= | sort | uniq -c\n  812 app\n", "process")


def test_mounts_tell_what_cannot_be_written() -> None:
    assert (
        told("$ mount | grep data\n/dev/sdb1 on /data type ext4 (ro,relatime,errors=remount-ro)\n", "filesystem")[
            "read_only"
        ]
        is True
    )
    assert told("$ cat /proc/mounts\n/dev/sdb1 /data ext4 rw,relatime 0 0\n", "filesystem")["read_only"] is False


def test_memory_in_every_unit() -> None:
    seen = told(
        "$ free -m\n              total        used        free      shared  buff/cache   available\nMem:           2000        1900          20           1          80          50\nSwap:           512         512           0\n",
        "memory",
    )
    assert (seen["total"], seen["available_percent"], seen["swap_free"]) == (2000 << 20, 2.5, 0)
    assert (
        told(
            "$ free -h\n               total        used        free      shared  buff/cache   available\nMem:           1.9Gi       1.8Gi        20Mi       1.0Mi        80Mi        50Mi\n",
            "memory",
        )["free"]
        == 20 << 20
    )
    assert (
        told(
            "$ cat /proc/meminfo\nMemTotal:        2048000 kB\nMemFree:           20480 kB\nMemAvailable:      40960 kB\n",
            "memory",
        )["available_percent"]
        == 2.0
    )


def test_load_cpu_and_pressure() -> None:
    seen = told("$ uptime\n 10:00:01 up 5 days,  3:02,  2 users,  load average: 35.10, 30.00, 12.50\n", "load")
    assert (seen["load1"], seen["users"]) == (35.1, 2)
    assert told("$ nproc\n4\n", "cpu")["cpus"] == 4
    cpu = told(
        "$ vmstat 1 2\nprocs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  9   1024   2048      0      0    0    0     0     0    0    0  5  3  2 90  0\n",
        "cpu",
    )
    assert (cpu["iowait"], cpu["idle"]) == (90.0, 2.0)
    assert told(
        "$ cat /proc/pressure/io\nsome avg10=80.10 avg60=70.00 avg300=50.00 total=1\nfull avg10=60.00 avg60=50.00 avg300=40.00 total=1\n",
        "pressure",
    ) == {"resource": "io", "some10": 80.1, "some60": 70.0, "full10": 60.0, "full60": 50.0}
    flags = told("$ grep -m1 flags /proc/cpuinfo\nflags\t\t: fpu sse4_2 avx\n", "cpu")["flags"]
    assert flags == ["fpu", "sse4_2", "avx"]


def test_processes_of_any_columns_with_zombies_counted() -> None:
    rows = "".join(f" {pid}     1 Z    [curl] <defunct>\n" for pid in range(10, 17))
    facts = read(f"$ ps -eo pid,ppid,stat,cmd\n  PID  PPID STAT CMD\n    1     0 Ss   node /srv/main.js\n{rows}")
    assert (facts[0].entity, facts[0].attributes["ppid"]) == ("process:node", 0)
    zombies = next(fact for fact in facts if fact.attributes.get("count") and fact.attributes.get("state") == "Z")
    assert (zombies.entity, zombies.attributes["count"]) == ("process:[curl]", 7)
    aux = told(
        "$ ps aux --sort=-rss | head -2\nUSER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\npostgres   812 99.0 45.1 900000 800000 ?       Rs   10:00   9:00 postgres: shop shop 10.0.0.5(4711) SELECT\n",
        "process",
    )
    assert (aux["cpu_percent"], aux["rss"], aux["user"]) == (99.0, 800000 * 1024, "postgres")
    assert told("$ ps -ef | wc -l\n4012\n", "process")["count"] == 4012
    assert told("$ ps -eo comm | sort | uniq -c | sort -rn | head -1\n    998 curl\n", "process") == {
        "command": "curl",
        "count": 998,
    }


def test_limits_of_a_shell_a_process_and_a_cgroup() -> None:
    assert told("$ ulimit -n\n1024\n", "limit") == {"name": "open files", "soft": 1024}
    assert {"name": "max user processes", "soft": 512, "unit": None} | told(
        "$ ulimit -a\nmax user processes                  (-u) 512\n", "limit"
    ) == {"name": "max user processes", "soft": 512, "unit": None}
    seen = told(
        "$ cat /proc/7/limits\nLimit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 4096                 files\n",
        "limit",
    )
    assert (seen["name"], seen["soft"], seen["hard"], seen["pid"]) == ("Max open files", 1024, 4096, 7)
    used = only(f"$ cat /sys/fs/cgroup/system.slice/docker-{'ab' * 32}.scope/pids.current\n1024\n", "container")
    assert (used.entity, used.attributes) == ("container:abababababab", {"pids": 1024})
    throttled = read("$ docker exec api cat /sys/fs/cgroup/cpu.stat\nusage_usec 5\nnr_periods 1000\nnr_throttled 900\n")
    assert throttled[-1].attributes == {"throttled_percent": 90.0} and throttled[-1].entity == "container:api"
    assert only("$ cat /proc/sys/fs/file-nr\n65000\t0\t65536\n", "limit").attributes == {
        "name": "fs.file-max",
        "used": 65000,
        "hard": 65536,
    }


@pytest.mark.parametrize(
    ("line", "event", "entity"),
    [
        ("[12.5] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0,oom_memcg=/docker/x,task_memcg=/docker/x,task=java,pid=77,uid=0", "oom_kill", "process:java"),
        ("[1234.567890] Out of memory: Killed process 4242 (mysqld) total-vm:1kB, anon-rss:1kB", "oom_kill", "process:mysqld"),
        ("[1.000001] worker[99]: segfault at 0 ip 0000 sp 0000 error 4 in libc.so", "segfault", "process:worker"),
        ("[1.000001] traps: mongod[5] trap invalid opcode ip:55 sp:7f error:0", "invalid_opcode", "process:mongod"),
        ("[1.000001] EXT4-fs (sda1): Remounting filesystem read-only", "remount_read_only", "disk:sda1"),
        ("[1.000001] blk_update_request: I/O error, dev sdb, sector 1", "io_error", "disk:sdb"),
        ("[1.000001] nf_conntrack: nf_conntrack: table full, dropping packet", "conntrack_full", "host:localhost"),
        ("[1.000001] TCP: request_sock_TCP: Possible SYN flooding on port 8080. Sending cookies.", "syn_flood", "host:localhost"),
        ("[1.000001] INFO: task postgres:81 blocked for more than 120 seconds.", "hung_task", "process:postgres"),
        ("[1.000001] cgroup: fork rejected by pids controller in /docker/abc", "cgroup_pids_limit", "host:localhost"),
        ('[1.000001] audit: type=1400 audit(1.1:1): apparmor="DENIED" operation="open" profile="docker-default" name="/x" pid=3 comm="runc"', "apparmor_denied", "process:runc"),
        ('[1.000001] audit: type=1326 audit(1.1:1): auid=1 pid=9 comm="app" exe="/app" sig=31 arch=c000003e syscall=435 compat=0', "seccomp_kill", "process:app"),
    ],
)  # fmt: skip
def test_news_of_the_kernel(line: str, event: str, entity: str) -> None:
    fact = only(f"$ dmesg | tail\n[0.000001] Linux version 6.1\n{line}\n", "kernel")
    assert (fact.attributes["event"], fact.entity, fact.line) == (event, entity, 3)


def test_an_oom_kill_tells_whose_limit_it_was_and_when() -> None:
    text = "$ journalctl -k\nFeb 01 10:00:05 web kernel: Memory cgroup out of memory: Killed process 12 (node) total-vm:1kB\nFeb 01 10:00:06 web kernel: Out of memory: Killed process 13 (java) total-vm:1kB\n"
    group, whole = read(text)
    assert (group.attributes["constraint"], whole.attributes["constraint"]) == ("memcg", "none")
    assert group.at is not None and group.at.isoformat() == "2026-02-01T10:00:05+00:00"


def test_settings_from_sysctl_files_and_environments() -> None:
    assert told("$ sysctl vm.max_map_count\nvm.max_map_count = 65530\n", "setting") == {
        "name": "vm.max_map_count",
        "value": 65530,
    }
    assert told("$ cat /proc/sys/net/core/somaxconn\n128\n", "setting") == {"name": "net.core.somaxconn", "value": 128}
    conf = read("$ grep -v '^#' /etc/app/app.ini\n[server]\nworkers = 2\n; none\nname: \"web\"\n")
    assert [(f.attributes["name"], f.attributes["value"]) for f in conf] == [
        ("server.workers", 2),
        ("server.name", "web"),
    ]
    assert told("$ docker exec api env\nDB_HOST=db\nPORT=80\n", "container")["env"] == ["DB_HOST=db", "PORT=80"]
    yaml = read("$ cat /etc/prometheus.yml\nglobal:\n  scrape_interval: 15s\nrules: [a]\n")
    assert ("global.scrape_interval", "15s", 3) in [(f.attributes["name"], f.attributes["value"], f.line) for f in yaml]


def test_units_of_systemd() -> None:
    text = "$ systemctl status nginx\n● nginx.service - A web server\n     Loaded: loaded (/lib/systemd/system/nginx.service; enabled)\n     Active: failed (Result: exit-code) since Sun 2026-02-01 10:00:00 UTC; 5min ago\n    Process: 12 ExecStart=/usr/sbin/nginx (code=exited, status=1/FAILURE)\n"
    unit = only(text, "unit")
    assert (unit.entity, unit.attributes["active_state"], unit.attributes["exit_code"]) == (
        "service:nginx",
        "failed",
        1,
    )
    assert unit.quote is not None and unit.quote.startswith("Active: failed")
    failed = only(
        "$ systemctl --failed\n  UNIT           LOAD   ACTIVE SUB    DESCRIPTION\n● backup.service loaded failed failed Nightly backup\n",
        "unit",
    )
    assert (failed.entity, failed.attributes["sub_state"]) == ("service:backup", "failed")
    assert told("$ systemctl is-active docker\ninactive\n", "unit") == {"active_state": "inactive"}


def test_versions_packages_and_upgrades() -> None:
    assert told("$ runc --version | head -1\nrunc version 1.2.0\n", "version") == {"name": "runc", "version": "1.2.0"}
    assert told("$ uname -a\nLinux web 4.15.0-20-generic #21-Ubuntu SMP x86_64 GNU/Linux\n", "version") == {
        "name": "kernel",
        "version": "4.15.0-20-generic",
    }
    assert (
        told('$ cat /etc/os-release\nNAME="Debian"\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12"\n', "version")[
            "name"
        ]
        == "Debian GNU/Linux 12"
    )
    history = only(
        "$ tail -3 /var/log/apt/history.log\nStart-Date: 2026-02-01  06:00:00\nUpgrade: openssl:amd64 (3.0.1-1, 3.0.2-1)\nEnd-Date: 2026-02-01  06:00:09\n",
        "package",
    )
    assert history.attributes == {"name": "openssl", "version": "3.0.2-1", "previous": "3.0.1-1", "action": "upgrade"}
    assert history.at is not None and history.at.hour == 6
    assert told("$ dpkg -l | grep curl\nii  curl   8.5.0-2   amd64   command line tool\n", "package") == {
        "name": "curl",
        "version": "8.5.0-2",
    }


def test_clocks() -> None:
    seen = told(
        "$ timedatectl\n               Local time: Sun 2026-02-01 10:00:00 UTC\nSystem clock synchronized: no\n              NTP service: inactive\n",
        "clock",
    )
    assert seen["synchronized"] is False
    assert (
        told(
            "$ chronyc tracking\nReference ID    : 0A000001\nSystem time     : 312.500000000 seconds slow of NTP time\n",
            "clock",
        )["offset_seconds"]
        == -312.5
    )
    assert told("$ date -u\nSun Feb  1 10:00:00 UTC 2026\n", "clock")["utc"] == "Sun Feb  1 10:00:00 UTC 2026"


def test_a_device_has_numbers_in_place_of_a_size() -> None:
    device = told(
        "$ ls -ln /dev/dri/renderD128\ncrw-rw---- 1 0 105 226, 128 Dec 12 08:00 /dev/dri/renderD128\n", "file"
    )
    assert (device["kind"], device["group"], device["path"]) == ("character device", "105", "/dev/dri/renderD128")
    assert "size" not in device


def test_files_schedules_and_commits() -> None:
    file = told("$ ls -l /etc/ssl/private\n-rw------- 1 root root 1704 Feb  1 10:00 tls.key\n", "file")
    assert (file["path"], file["mode"], file["owner"], file["exists"]) == (
        "/etc/ssl/private/tls.key",
        "-rw-------",
        "root",
        True,
    )
    assert told("$ ls /data/x\nls: cannot access '/data/x': No such file or directory\n", "file") == {
        "path": "/data/x",
        "exists": False,
    }
    job = told("$ crontab -l\n# jobs\n*/20 * * * * /usr/bin/keepalive.sh\n", "setting")
    assert (job["name"], job["value"]) == ("cron /usr/bin/keepalive.sh", "*/20 * * * *")
    commit = only(
        "$ git log -1\ncommit 1234567890123456789012345678901234567890\nAuthor: a <a@b>\nDate:   Sun Feb 1 10:00:00 2026 +0000\n\n    raise the limit\n",
        "note",
    )
    assert (commit.entity, commit.attributes["text"]) == (
        "change:1234567890123456789012345678901234567890",
        "raise the limit",
    )


def test_what_nobody_knows_is_kept_as_a_reading_and_silence_too() -> None:
    reading = only("$ frobnicate --all\nwidgets: 7\nsprockets: 9\n", "reading")
    assert (reading.attributes["text"], reading.line) == ("widgets: 7\nsprockets: 9", 2)
    silent = only("$ iptables-legacy-save\n", "reading")
    assert (silent.attributes["command"], "text" in silent.attributes, silent.line) == (
        "iptables-legacy-save",
        False,
        1,
    )
    assert told("$ cat /tmp/queue-depth\n184\n", "reading")["value"] == 184


def test_dated_lines_under_a_heading_keep_their_time() -> None:
    first, _ = read("# usage, weekly\n2026-01-01 10:00 disk 61%\n2026-01-08 10:00 disk 100%\n")
    assert (first.kind, first.attributes["name"]) == ("note", "usage, weekly")
    assert first.at is not None and first.at.isoformat() == "2026-01-01T10:00:00+00:00"


def test_an_unknown_document_becomes_notes_by_path() -> None:
    notes = read('{"a": {"b": [1, "x"]}, "ok": true}', "artifacts/thing.json")
    assert [(n.attributes["name"], n.attributes.get("value", n.attributes.get("text"))) for n in notes] == [
        ("a.b.0", 1),
        ("a.b.1", "x"),
        ("ok", True),
    ]


def test_pools_arrays_and_dying_disks() -> None:
    assert (
        told("$ zpool status tank\n  pool: tank\n state: DEGRADED\nerrors: No known data errors\n", "disk")["errors"]
        == "DEGRADED"
    )
    assert (
        told(
            "$ cat /proc/mdstat\nPersonalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0](F)\n      1000 blocks [2/1] [_U]\n",
            "disk",
        )["errors"]
        == "degraded: 1 of 2 members"
    )
    assert told("$ smartctl -H /dev/sda\nSMART overall-health self-assessment test result: FAILED!\n", "disk") == {
        "device": "sda",
        "errors": "SMART FAILED",
    }
    assert told("$ swapon -s\nFilename Type Size Used Priority\n/dev/sda2 partition 1024 512 -2\n", "memory") == {
        "swap_total": 1 << 20,
        "swap_used": 512 << 10,
    }


def test_descriptors_of_a_process_and_kernel_files() -> None:
    assert told("$ ls /proc/71/fd | wc -l\n1024\n", "limit") == {"name": "open files", "used": 1024}
    assert (
        told("$ cat /sys/kernel/mm/transparent_hugepage/enabled\n[always] madvise never\n", "setting")["value"]
        == "[always] madvise never"
    )
    daemon = read('$ cat /etc/docker/daemon.json\n{\n  "log-driver": "local",\n  "mtu": 1400\n}\n')
    assert [(f.attributes["name"], f.attributes["value"], f.line) for f in daemon] == [
        ("log-driver", "local", 3),
        ("mtu", 1400, 4),
    ]


def test_lsof_tells_deleted_files_that_are_still_open() -> None:
    head = "COMMAND   PID USER   FD   TYPE DEVICE    SIZE/OFF NLINK    NODE NAME\n"
    row = "java     2211 app   12w   REG    8,1 9663676416     0 1311042 /var/log/app/gc.log.3 (deleted)\n"
    seen = only(f"$ lsof +L1\n{head}{row}", "file")
    assert (seen.entity, seen.attributes["path"], seen.attributes["size"], seen.attributes["kind"]) == (
        "process:java", "/var/log/app/gc.log.3", 9 << 30, "deleted",
    )  # fmt: skip
    open_ = "java     2211 app   12w   REG    8,1 9663676416     1 1311042 /var/log/app/gc.log\n"
    assert [fact.kind for fact in read(f"$ lsof -p 2211\n{head}{open_}")] == ["process"]


def test_lvs_tells_thin_pools_and_no_volume_in_them() -> None:
    text = "  LV     LSize   Pool Data%  Meta%\n  thin   400.0g       99.87  52.10\n  root    50.0g\n  vm-1   300.0g thin 80.10\n"
    seen = [(f.entity, f.attributes["name"], f.attributes["used_percent"]) for f in read(f"$ lvs -a vg0\n{text}")]
    assert seen == [
        ("volume:thin", "data space of the thin pool thin", 99.87),
        ("volume:thin", "metadata space of the thin pool thin", 52.1),
    ]


def test_du_tells_the_total_of_what_was_asked_for() -> None:
    seen = told("$ ls /srv/q/*.log | wc -l ; du -ch /srv/q/*.log | tail -1\n41\n12G\ttotal\n", "directory")
    assert (seen["path"], seen["size"]) == ("/srv/q/*.log", 12 << 30)
    assert [f.kind for f in read("$ wc -l a b | tail -1\n  117 total\n")] != ["directory"]


def test_inodes_of_stat_count_as_those_of_df() -> None:
    sample = """$ stat -f /data
  File: "/data"
    ID: 1f Namelen: 255     Type: xfs
Block size: 4096       Fundamental block size: 4096
Blocks: Total: 1000   Free: 600   Available: 600
Inodes: Total: 2000    Free: 0
"""
    found = told(sample, "filesystem")
    assert (found["mount"], found["inodes"], found["inodes_use_percent"]) == ("/data", 2000, 100.0)


def test_pgrep_counts_the_copies_of_a_command_line() -> None:
    sample = "$ pgrep -af sync\n10 /bin/bash /opt/sync.sh\n11 /bin/bash /opt/sync.sh\n12 python3 /opt/sync.py -v\n"
    found = [(fact.entity, fact.attributes["count"]) for fact in read(sample)]
    assert found == [("process:sync.sh", 2), ("process:sync.py", 1)]
    assert not [fact for fact in read("$ pgrep sync\n10\n11\n") if fact.kind == "process"]


def test_btrfs_tells_how_full_its_metadata_is_and_what_is_left_for_chunks() -> None:
    usage = (
        "Overall:\n    Device size:   100.00GiB\n    Device unallocated:   1.00MiB\n\n"
        "Data,single: Size:95.00GiB, Used:60.00GiB (63.2%)\nMetadata,DUP: Size:2.00GiB, Used:1.98GiB (99.0%)\n"
    )
    seen = only(f"$ btrfs filesystem usage /data\n{usage}", "pool")
    assert (seen.entity, seen.attributes["used_percent"], seen.attributes["idle"]) == ("disk:/data", 99.0, 1 << 20)
    short = only("$ sudo btrfs fi df /data\nMetadata, single: total=2.00GiB, used=1.00GiB\n", "pool")
    assert (short.attributes["used_percent"], "idle" in short.attributes) == (50.0, False)


def test_status_pages_tell_busy_workers() -> None:
    fpm = "pool:  app\nprocess manager:  dynamic\nlisten queue:  9\nidle processes:  0\nactive processes:  12\ntotal processes:  12\n"
    seen = only(f"$ docker exec php curl -s http://127.0.0.1/fpm-status\n{fpm}", "pool")
    assert (seen.attributes["waiting"], seen.attributes["idle"], seen.attributes["active"]) == (9, 0, 12)
    apache = "Total Accesses: 10\nBusyWorkers: 150\nIdleWorkers: 0\n"
    assert only(f"$ curl -s http://web/server-status?auto\n{apache}", "pool").entity == "service:web"


def test_a_server_s_date_is_its_clock() -> None:
    text = "$ curl -sI http://10.0.3.9/ | grep -i date\nDate: Wed, 04 Mar 2026 11:20:00 GMT\n"
    assert only(text, "clock").attributes["utc"] == "Wed, 04 Mar 2026 11:20:00 GMT"


def test_uptime_since_is_told_in_seconds() -> None:
    assert told("$ uptime -s\n2026-03-01 11:50:00\n", "load")["uptime_seconds"] == 600


def test_a_device_node_has_numbers_where_files_have_a_size() -> None:
    text = "$ ls -ln /dev/dri\ntotal 0\ncrw-rw---- 1 0 993 226, 128 Aug  3 10:02 renderD128\n"
    found = read(text)
    assert [(f.attributes["path"], f.attributes["group"], "size" in f.attributes) for f in found] == [
        ("/dev/dri/renderD128", "993", False)
    ]


def test_what_prints_into_a_file_is_not_what_is_read() -> None:
    text = "$ head -c 9M /dev/zero > /tmp/z; df -h /srv\nFilesystem Size Used Avail Use% Mounted on\n/dev/sda1 9G 8G 1G 89% /srv\n"
    found = read(text)
    assert [f.entity for f in found] == ["disk:/srv"]
