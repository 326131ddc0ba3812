"""Output of commands about the network."""

# ruff: noqa: E501 (samples are as long as programs print them)

import pytest

from tests.analysis.captures.reading import only, read, told


def test_listening_sockets_and_counts_by_state() -> None:
    listening = only(
        '$ ss -ltnp\nState    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port  Process\nLISTEN   129      128              0.0.0.0:8080          0.0.0.0:*      users:(("gunicorn",pid=7,fd=5))\n',
        "socket",
    )
    assert (
        listening.entity,
        listening.attributes["recv_q"],
        listening.attributes["send_q"],
        listening.attributes["pid"],
    ) == ("process:gunicorn", 129, 128, 7)
    rows = "".join(f"CLOSE-WAIT 1 0 10.0.0.1:80 10.0.0.{n}:999\n" for n in range(12))
    counted = read(f"$ ss -tan\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\n{rows}")
    assert counted[0].attributes == {"state": "CLOSE-WAIT", "count": 12}
    assert (
        told(
            "$ netstat -tlnp\nProto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name\ntcp        0      0 127.0.0.1:5432          0.0.0.0:*               LISTEN      81/postgres\n",
            "socket",
        )["local"]
        == "127.0.0.1:5432"
    )


def test_interfaces_and_routes() -> None:
    text = "$ ip addr\n1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default\n    inet 127.0.0.1/8 scope host lo\n2: eth0@if9: <NO-CARRIER,BROADCAST,UP> mtu 1400 qdisc fq state DOWN group default\n    link/ether 02:42:ac:11:00:02 brd ff:ff\n    inet 172.17.0.2/16 scope global eth0\n"
    loopback, eth0 = read(text)
    assert (eth0.entity, eth0.attributes["mtu"], eth0.attributes["state"], eth0.attributes["addresses"]) == (
        "network:eth0",
        1400,
        "NO-CARRIER",
        ["172.17.0.2/16"],
    )
    assert loopback.attributes["state"] == "UNKNOWN"
    route = told("$ ip route\ndefault via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.9 metric 100\n", "route")
    assert route == {
        "destination": "default",
        "gateway": "10.0.0.1",
        "device": "eth0",
        "source": "10.0.0.9",
        "metric": 100,
    }


@pytest.mark.parametrize(
    ("text", "ok", "error"),
    [
        ("$ curl -sI http://web:80 | head -1\nHTTP/1.1 200 OK\n", True, None),
        ("$ curl -sI http://web:80 | head -1\nHTTP/1.1 502 Bad Gateway\n", False, "HTTP 502 Bad Gateway"),
        ("$ curl -v https://api.example.com\n* Trying 1.2.3.4\ncurl: (7) Failed to connect to api.example.com port 443: Connection refused\n", False, "curl 7: Failed to connect to api.example.com port 443: Connection refused"),
        ("$ curl -m 5 -s https://api.example.com/ ; echo rc=$?\nrc=28\n", False, "exit code 28: operation timed out"),
        ("$ curl -s -o /dev/null -w '%{http_code}\\n' http://web/health\n503\n", False, "HTTP 503"),
        ("$ curl -s -o /dev/null -w '%{http_code} %{time_total}' http://web/health\n000 5.001\n", False, "no answer"),
        ("$ nc -zv db 5432\nnc: connect to db (10.0.0.3) port 5432 (tcp) failed: Connection refused\n", False, "nc: connect to db (10.0.0.3) port 5432 (tcp) failed: Connection refused"),
        ("$ nc -zv db 5432\nConnection to db 5432 port [tcp/postgresql] succeeded!\n", True, None),
        ("$ ping -c2 db\n64 bytes from 10.1.0.4: icmp_seq=1 ttl=63 time=0.4 ms\n", True, None),
        ("$ ping -c1 db | tail -2\n1 packets transmitted, 0 received, 100% packet loss, time 0ms\n", False, None),
        ("$ ping -M do -s 1472 db\nping: local error: message too long, mtu=1450\n", False, "message too long, mtu=1450"),
        ("$ pg_isready -h db\ndb:5432 - no response\n", False, "db:5432 - no response"),
        ("$ pg_isready -h db\ndb:5432 - accepting connections\n", True, None),
    ],
)  # fmt: skip
def test_what_could_be_reached(text: str, ok: bool, error: str | None) -> None:
    seen = told(text, "probe")
    assert (seen["ok"], seen.get("error")) == (ok, error)


def test_a_probe_is_about_its_target_and_tells_the_mtu_it_met() -> None:
    probe = only("$ docker exec api ping -M do -s 1472 db\nping: local error: message too long, mtu=1450\n", "probe")
    assert (probe.entity, probe.attributes["actual"], probe.attributes["size"]) == ("service:db", 1450, 1472)
    assert only("$ curl -I https://api.pay.example/\nHTTP/2 200\n", "probe").entity == "external:api.pay.example"


def test_names_that_resolve_and_names_that_do_not() -> None:
    found = told("$ dig +short db\n10.0.0.3\n", "dns")
    assert (found["addresses"], found["status"]) == (["10.0.0.3"], "NOERROR")
    gone = only(
        "$ nslookup nodb\nServer:\t\t127.0.0.11\nAddress:\t127.0.0.11:53\n\n** server can't find nodb: NXDOMAIN\n",
        "dns",
    )
    assert (gone.entity, gone.attributes["status"], "addresses" in gone.attributes) == (
        "service:nodb",
        "NXDOMAIN",
        False,
    )
    full = told(
        ";; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: 1\n;; ANSWER SECTION:\ndb.shop.example.\t30\tIN\tA\t10.0.0.3\n;; Query time: 2100 msec\n;; SERVER: 10.96.0.10#53(10.96.0.10)\n".join(
            ["$ dig db.shop.example\n", ""]
        ),
        "dns",
    )
    assert (full["ttl"], full["seconds"], full["server"]) == (30, 2.1, "10.96.0.10")
    late = told("$ dig db\n;; connection timed out; no servers could be reached\n", "dns")
    assert late["status"] == "SERVFAIL"
    resolv = told("$ cat /etc/resolv.conf\nnameserver 10.96.0.10\nsearch shop.svc.cluster.local\n", "dns")
    assert (resolv["server"], resolv["search"]) == ("10.96.0.10", ["shop.svc.cluster.local"])
    assert only("$ cat /etc/hosts\n10.0.0.9 db\n", "dns").attributes["addresses"] == ["10.0.0.9"]


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("$ nslookup api.example.com\nName:\tapi.example.com.lan.example.org\nAddress: 10.1.0.9\n", "api.example.com.lan.example.org"),
        ("$ host api.example.com\napi.example.com.lan.example.org has address 10.1.0.9\n", "api.example.com.lan.example.org"),
        ("$ getent hosts api.example.com\n10.1.0.9        api.example.com.lan.example.org\n", "api.example.com.lan.example.org"),
        ("$ dig +search api.example.com\napi.example.com.lan.example.org. 60 IN A 10.1.0.9\n", "api.example.com.lan.example.org"),
        ("$ nslookup api.example.com\nName:\tapi.example.com\nAddress: 203.0.113.9\n", None),
        ("$ dig www.example.com\nwww.example.com. 60 IN CNAME cdn.example.net.\ncdn.example.net. 60 IN A 203.0.113.9\n", None),
    ],
)  # fmt: skip
def test_an_answer_for_a_longer_name_than_the_one_asked_tells_which(text: str, answered: str | None) -> None:
    assert told(text, "dns").get("answered") == answered


def test_certificates_tell_how_many_days_are_left() -> None:
    seen = only(
        "$ openssl x509 -noout -dates -subject -in /etc/ssl/web.pem\nnotBefore=Jan  1 00:00:00 2025 GMT\nnotAfter=Feb 19 12:00:00 2026 GMT\nsubject=CN = web.shop.example\n",
        "certificate",
    )
    assert (seen.entity, seen.attributes["days_left"]) == ("certificate:web.shop.example", -10.0)
    assert seen.quote == "notAfter=Feb 19 12:00:00 2026 GMT"
    chain = told(
        "$ openssl s_client -connect web:443\nverify error:num=20:unable to get local issuer certificate\nVerify return code: 21 (unable to verify the first certificate)\n",
        "certificate",
    )
    assert (chain["chain_ok"], chain["verify_code"], chain["error"]) == (
        False,
        21,
        "unable to get local issuer certificate",
    )


LOOP = """$ for p in 443 8443; do echo | openssl s_client -connect web.example.org:$p 2>/dev/null | openssl x509 -noout -serial -enddate; done
serial=0A1B
notAfter=Mar 11 12:00:00 2027 GMT
serial=0C2D
notAfter=Feb 19 12:00:00 2026 GMT
$ openssl x509 -in /etc/ssl/live/web.example.org/fullchain.pem -noout -serial
serial=0A1B
"""


def test_a_loop_over_ports_tells_each_certificate_and_a_serial_alone_tells_the_file() -> None:
    first, second, file = read(LOOP)
    assert [(f.attributes["serial"], f.attributes["server"]) for f in (first, second)] == [
        ("0A1B", "web.example.org"),
        ("0C2D", "web.example.org"),
    ]
    assert (first.line, second.line, second.attributes["days_left"]) == (3, 5, -10.0)
    assert (file.attributes["serial"], file.attributes["path"]) == (
        "0A1B",
        "/etc/ssl/live/web.example.org/fullchain.pem",
    )


def test_a_certificate_that_ends_next_year_is_not_taken_as_ended_this_year() -> None:
    seen = told("$ openssl x509 -noout -enddate -in web.pem\nnotAfter=Mar 11 12:00:00 2027 GMT\n", "certificate")
    assert seen["days_left"] == 375.0


def test_firewalls_tell_rules_policies_and_chains_that_are_not_there() -> None:
    missing = told("$ iptables -t nat -nL DOCKER\niptables: No chain/target/match by that name.\n", "firewall")
    assert (missing["table"], missing["chain"], missing["exists"]) == ("nat", "DOCKER", False)
    policy, rule = read(
        "$ iptables -nL FORWARD\nChain FORWARD (policy DROP)\ntarget     prot opt source               destination\nREJECT     all  --  0.0.0.0/0            0.0.0.0/0            reject-with icmp-port-unreachable\n"
    )
    assert (policy.attributes["policy"], rule.attributes["target"]) == ("DROP", "REJECT")
    assert told("$ iptables -S\n-A INPUT -p tcp --dport 5432 -j DROP\n", "firewall")["target"] == "DROP"


def test_a_certificate_read_from_a_server_by_a_pipe_is_about_that_server() -> None:
    fact = only(
        "$ echo | openssl s_client -connect web.shop.example:443 2>/dev/null | openssl x509 -noout -enddate\nnotAfter=Feb 28 12:00:00 2026 GMT\n",
        "certificate",
    )
    assert (fact.entity, fact.attributes["days_left"]) == ("certificate:web.shop.example", -1.0)


def test_curl_tells_the_certificate_that_a_server_presents() -> None:
    fact = only(
        "$ curl -vI https://shop.example.org\n* Server certificate:\n*  subject: CN=shop.example.org\n"
        "*  start date: Nov  5 10:00:00 2025 GMT\n*  expire date: Feb  3 10:00:00 2026 GMT\n",
        "certificate",
    )
    assert (fact.attributes["server"], fact.attributes["not_after"]) == ("shop.example.org", "Feb  3 10:00:00 2026 GMT")


def test_sockets_without_a_column_of_protocols_are_told_apart_by_their_state() -> None:
    row = '$ ss -lunp\nUNCONN 0 0 0.0.0.0:53 0.0.0.0:* users:(("dnsmasq",pid=812,fd=4))\n'
    assert told(row, "socket")["protocol"] == "udp"
    assert told(row.replace("UNCONN", "LISTEN"), "socket")["protocol"] == "tcp"


def test_hexadecimal_sockets_are_those_that_listen() -> None:
    text = (
        "$ docker exec api cat /proc/net/tcp\n"
        "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 3021 1\n"
        "   1: 060018AC:1F40 020018AC:9C4A 01 00000000:00000000 00:00000000 00000000 0 0 3022 1\n"
    )
    assert told(text, "socket") == {"protocol": "tcp", "state": "LISTEN", "local": "127.0.0.1:8000"}
    v6 = (
        "$ cat /proc/net/tcp6\n   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0\n"
    )
    assert told(v6, "socket")["local"] == "[::1]:8080"


def test_keytool_tells_when_a_certificate_ends() -> None:
    sample = """$ keytool -printcert -file /etc/broker.crt
Owner: CN=broker
Issuer: CN=Own CA
Valid from: Sat Feb 01 00:00:00 UTC 2025 until: Sat Feb 28 12:00:00 UTC 2026
"""
    found = told(sample, "certificate")
    assert (found["subject"], found["days_left"]) == ("CN=broker", -1.0)


def test_the_cache_line_of_a_route_is_no_route() -> None:
    assert len(read("$ ip route get 10.1.2.3\n10.1.2.3 dev br-0a1b2c3d4e5f src 10.1.0.1\n    cache\n")) == 1


def test_the_url_of_curl_may_stand_behind_an_option_that_takes_a_value_elsewhere() -> None:
    for options in ("-s -i", "-f", "-sS -i -x http://proxy:3128"):
        fact = only(f"$ curl {options} https://shop.example.org/x\nHTTP/2 524\nserver: cloudflare\n", "probe")
        assert (fact.entity, fact.attributes["status"], fact.attributes["server"]) == (
            "external:shop.example.org",
            "524",
            "cloudflare",
        )
