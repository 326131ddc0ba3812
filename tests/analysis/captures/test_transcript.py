"""How a file of captured output is split into commands."""

# ruff: noqa: E501 (samples are as long as programs print them)

from analysis.captures.command import parse_command
from analysis.captures.transcript import name_to_command, split


def commands(text: str, name: str = "artifacts/x.txt") -> list[str]:
    return [block.command for block in split(text, name)]


def test_dollar_prompts_split_a_file_and_keep_line_numbers() -> None:
    blocks = split("$ df -h\nrow\n$ free -m\nMem: 1\n")
    assert [(b.command, b.text, b.first_line) for b in blocks] == [("df -h", "row", 2), ("free -m", "Mem: 1", 4)]


def test_root_user_host_and_container_prompts_are_seen() -> None:
    text = "root@web01:~# df -h\na\n[root@db02 ~]# free -m\nb\n# ss -ltn\nc\n> uptime\nd\nbash-5.1# ps aux\ne\n/ # cat /etc/hosts\nf\n"
    assert commands(text) == ["df -h", "free -m", "ss -ltn", "uptime", "ps aux", "cat /etc/hosts"]
    assert [block.host for block in split(text)][:2] == ["web01", "db02"]


def test_a_prompt_that_is_nothing_but_a_machine_s_name_counts_once_that_name_stood_before_a_known_program() -> None:
    text = "web1 $ df -h\na\ndb2:/srv# free -m\nb\nweb1 $ ./own-tool\nc\ntotal $ 12\nnote# by hand\n"
    blocks = split(text)
    assert [(b.host, b.command) for b in blocks] == [("web1", "df -h"), ("db2", "free -m"), ("web1", "./own-tool")]
    assert blocks[-1].text == "c\ntotal $ 12\nnote# by hand"


def test_what_stands_behind_two_dashes_is_the_command_that_runs_in_a_pod() -> None:
    seen = parse_command("kubectl -n shop exec deploy/web -- nslookup api.example.com")
    assert (seen.program, seen.inside) == ("nslookup", "pod:web")


def test_prompts_of_databases_name_their_program_and_database() -> None:
    text = "shop=# show jit;\non\nmysql> show processlist;\nx\n127.0.0.1:6379> INFO memory\ny\nrs0:PRIMARY> rs.status()\nz\n"
    assert commands(text) == [
        "sql -d shop show jit;",
        "sql show processlist;",
        "redis-cli INFO memory",
        "mongosh rs.status()",
    ]


def test_a_comment_inside_an_output_is_no_prompt() -> None:
    assert commands("$ cat app.conf\n# the port\nport = 80\n> quoted\n") == ["cat app.conf"]


def test_a_heading_at_the_top_names_the_whole_file() -> None:
    assert commands("# nightly report\n2026-01-01 fine\n") == ["# nightly report"]


def test_a_tool_header_with_its_arguments_makes_one_block_of_the_file() -> None:
    (block,) = split('# kubectl_describe {"kind": "pod", "name": "a-1"} status=error\n$ not a prompt\n')
    assert (block.command, block.arguments, block.status, block.text) == (
        "kubectl_describe",
        {"kind": "pod", "name": "a-1"},
        "error",
        "$ not a prompt",
    )


def test_a_file_without_prompts_is_named_by_its_name() -> None:
    assert commands("out\n", "artifacts/docker_ps.txt") == ["docker ps"]
    assert (name_to_command("df-h.txt"), name_to_command("report.json")) == ("df -h", "")


def test_windows_line_ends_split_as_others_do() -> None:
    assert commands("$ df -h\r\nrow\r\n$ uptime\r\n") == ["df -h", "uptime"]


def test_wrappers_are_looked_through_to_the_program_and_its_place() -> None:
    seen = parse_command("sudo docker exec -it -u root shop-db sh -c 'df -h /data | tail -1' # at noon")
    assert (seen.program, seen.inside, seen.comment) == ("df", "container:shop-db", "at noon")
    assert parse_command("kubectl exec -n shop web-1 -c app -- cat /etc/hosts").inside == "container:app"
    assert parse_command("kubectl exec web-1 -- env").inside == "pod:web-1"
    assert parse_command("docker compose exec -T db psql -c 'select 1'").inside == "container:db"
    assert parse_command("ssh admin@db02 'free -m'").host == "db02"
    assert parse_command("LANG=C timeout 5 ss -s | grep TCP").filters == ("grep",)


def test_a_line_that_no_shell_would_take_is_still_split() -> None:
    assert parse_command("grep 'open /var/log/x | head").program == "grep"
