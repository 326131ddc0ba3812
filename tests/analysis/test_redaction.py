import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.budget import cut
from analysis.secrets.placeholders import PLACEHOLDER
from analysis.secrets.redaction import Redactor

REDACTOR = Redactor(b"incident-1")
KEY_BODY = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "Qw==",
]
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# (text with {}, secret): the secret goes, everything around it stays
SECRETS = [
    ("Authorization: Bearer {}", JWT),
    ("Authorization: Basic {}", "dXNlcjpodW50ZXIy"),
    ('"authorization": "token {}"', "9f8e7d6c5b4a"),
    ("got bearer {} from client", "a8f5f167f44f4964e6c998dee827110c"),
    ("DB_URI=postgresql://raptor:{}@db:5432/iris_db", "Tr0ub4dor-3xample"),
    ("connecting to mongodb+srv://app:{}@cluster0.example.net/x", "pa55w0rd"),
    ("redis://:{}@cache:6379/0", "hunter2"),
    ("amqp://guest:{}@mq:5672//", "gu3st"),
    ("dsn app:{}@tcp(db:3306)/shop", "hunter2"),
    ("Server=db;Database=x;User Id=sa;Password={};Encrypt=true", "P4ss!word"),
    ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=y", "Zm9vYmFyYmF6cXV4Zm9vYmFy=="),
    ("GET /c?sv=2022&sig={}&se=1", "abc%2Fdef123"),
    ("password={}", "hunter2"),
    ("user=bob password={} host=db", "hunter2"),
    ('{{"user": "bob", "password": "{}", "x": 1}}', "hun\\\"ter2"),
    ('payload {{\\"password\\":\\"{}\\",\\"x\\":1}}', "hunter2"),
    ("password: {}", "correcthorse"),
    ("  api_key: '{}'", "abcdef"),
    ('        "POSTGRES_PASSWORD={}",', "N3w-Secret Example-01"),
    ("export AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS_ACCESS_KEY_ID {} used", "AKIAIOSFODNN7EXAMPLE"),
    ("app --password {} --verbose", "hunter2"),
    ('["app", "--token", "{}"]', "hunter2x"),
    ("mysqldump -u root -p{} shop", "hunter2"),
    ("curl -u bob:{} http://x/", "hunter2"),
    ("redis-cli -h cache -a {} ping", "hunter2"),
    ("ALTER USER bob WITH PASSWORD '{}';", "hunter two"),
    ("CREATE USER 'bob'@'%' IDENTIFIED BY '{}'", "hunter2"),
    ("CREATE USER bob IDENTIFIED WITH mysql_native_password BY '{}'", "hunter2"),
    ("token {} seen", JWT),
    ("clone https://{}@github.com/x/y", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("x {} y", "github_pat_11ABCDEFG0abcdefghijkl"),
    ("x {} y", "glpat-abcdefghij0123456789"),
    ("x {} y", "xoxb-123456789012-abcdefGHIJ"),
    ("x {} y", "sk_live_abcdefghijklmnop"),
    ("x {} y", "sk-proj-abcdefghij0123456789"),
    ("x {} y", "sk-ant-api03-abcdefghij"),
    ("x {} y", "npm_abcdefghijKLMNOPQRST0123456789"),
    ("x {} y", "pypi-AgEIcHlwaS5vcmcCJGFiY2Rl"),
    ("x {} y", "hf_abcdefghijKLMNOPQRST"),
    ("Set-Cookie: sid={}; Path=/; HttpOnly", "s%3Aabc123"),
    ("Cookie: {}", "sid=abc123; theme=dark"),
    ("bob:{}:0:0", "$2y$10$abcdefghijklmnopqrstuv"),
    ("root:{}:19000:0:99999:7:::", "$6$saltsalt$abcdefghijklmnopqrstuvwxyz"),
    ('"private_key": "-----BEGIN PRIVATE KEY-----{}-----END PRIVATE KEY-----\\n"', "\\nMIIEvQIBADANBgkqhkiG9w0\\n"),
    ("- name: DB_PASSWORD\n  value: {}\n- name: X", "hunter2"),
    ('{{"name": "DB_PASSWORD", "value": "{}"}}', "hunter2"),
    ("client_secret={}&grant_type=x", "abcdef"),
    ("JSESSIONID={}", "0A1B2C3D"),
    ("vault login role_id=x secret_id={}", "abc123"),
    ("<user>bob</user><Password>{}</Password>", "hunter two"),
    ("machine x login bob password {}", "correcthorse"),
    ("{{user: bob, password: {}, host: db}}", "correcthorse"),
    ('{{"url":"postgres:\\/\\/bob:{}@db\\/x"}}', "hunter2"),
    ("x-api-key: {}", "abc123def456"),
    ("java -Dspring.datasource.password={} -jar x.jar", "hunter2"),
    ("GET /cb?code=1&access_token={}&x=1", "abcdef"),
    ("{{'user': 'bob', 'passwd': '{}'}}", "hunter2"),
    ('time=x msg="login" password="{}" user=bob', "a b c"),
    ("Environment=DB_PASSWORD={}", "hunter2"),
    ("psql postgresql://bob:{}@db/x", "p@ss/w0rd"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "secret"), SECRETS, ids=[form[:30] + secret[:8] for form, secret in SECRETS])
def test_a_secret_is_replaced_and_stays_replaced(form: str, secret: str) -> None:
    redacted = REDACTOR.redact(form.format(secret))
    assert secret not in redacted
    assert PLACEHOLDER.search(redacted)
    assert REDACTOR.redact(redacted) == redacted


@pytest.mark.parametrize(
    "line",
    [
        'FATAL:  password authentication failed for user "bob"',
        "sshd[812]: Failed password for root from 10.0.0.9 port 4022 ssh2",
        "invalid token: unexpected end of input",
        "error: token expired; secret not found; password is required",
        "pulling image nginx@sha256:6af79ae5de407283dcea8b00d5c37ace95441fd58a8b1d2aa1ed93f5511bb18c",
        "commit 9883556f2c1d6e5b4a3f2e1d0c9b8a7f6e5d4c3b by bob",
        "request_id=550e8400-e29b-41d4-a716-446655440000 status=500",
        "container 4f5e6d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796 died",
        "secretName: db-creds\nsecretKeyRef: x",
        "DB_PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false",
        "max_tokens: 4096 prompt_tokens=12 token_count=7",
        "PWD=/app OLDPWD=/root",
        "POSTGRES_PASSWORD_FILE=/run/secrets/pg",
        "password=${DB_PASSWORD} token=$TOKEN secret=<nil>",
        "Basic authentication failed; bearer token is missing",
        "upstream: http://10.0.0.1:8080/path?mail=a@b",
        "SyntaxError: Unexpected token < in JSON at position 0",
        "cache_key=user:12 primary_key=id partition key: 7",
        "task-sk-learn-pipeline ASIAPACIFIC npm_config_registry hf_transfer",
        "imagePullSecrets: regcred",
        "tests pass: 12 fail: 3",
        "MountVolume.SetUp failed for volume \"tls\" : secret \"web-tls\" not found",
        "Access denied for user 'app'@'10.0.0.3' (using password: YES)",
        "WRONGPASS invalid username-password pair or user is disabled.",
        "NOAUTH Authentication required.",
        "dsn=postgres://db:5432/x",
        'level=info msg="secret synced" secret=shop/web-tls',
        "docker-pullable://nginx:1.25@sha256:6af79ae5de407283dcea8b00d5c37ace95441fd58a8b1d2aa1ed93f5511bb18c",
        "WWW-Authenticate: Bearer realm=https://auth.example/token",
        "ERROR [alembic.util.messaging] Can't locate revision identified by '4b1d77aa02c9'",
        '"cookies": [\n  "credentials": {',
    ],
)  # fmt: skip
def test_what_is_no_secret_stays_as_it_is(line: str) -> None:
    assert REDACTOR.redact(line) == line


def test_a_url_keeps_its_user_and_host() -> None:
    assert REDACTOR.redact("postgres://bob:hunter2@db:5432/x").startswith("postgres://bob:[redacted:password:")
    assert REDACTOR.redact("postgres://bob:hunter2@db:5432/x").endswith("@db:5432/x")


def test_equal_secrets_have_equal_placeholders_under_one_key_only() -> None:
    one = REDACTOR.redact("password=hunter2")
    assert one == Redactor(b"incident-1").redact("password=hunter2")
    assert one != REDACTOR.redact("password=hunter3")
    assert one != Redactor(b"incident-2").redact("password=hunter2")


@pytest.mark.parametrize("prefix", ["", "2026-08-18T10:15:58Z ", "web-1  | "])
def test_a_private_key_goes_line_by_line_and_the_lines_keep_their_numbers(prefix: str) -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    lines = ["before", *(prefix + line for line in [begin, *KEY_BODY, end]), "after it all"]
    redacted = REDACTOR.redact("\n".join(lines)).split("\n")
    assert len(redacted) == len(lines)
    assert (redacted[0], redacted[-1]) == ("before", "after it all")
    assert not any(line in "\n".join(redacted) for line in KEY_BODY[:2])
    assert REDACTOR.redact("\n".join(redacted)) == "\n".join(redacted)


def test_a_private_key_that_lost_its_end_or_its_beginning_goes_too() -> None:
    head = REDACTOR.redact("\n".join(["-----BEGIN PRIVATE KEY-----", *KEY_BODY[:1], KEY_BODY[1][:20]]))
    assert REDACTOR.redact(head + "\nnext line\nlast line") == head + "\nnext line\nlast line"
    tail = REDACTOR.redact("\n".join([*KEY_BODY, "-----END PRIVATE KEY-----", "next line"]))
    assert KEY_BODY[0] not in head
    assert KEY_BODY[1][:20] not in head
    assert KEY_BODY[1] not in tail
    assert tail.endswith("next line")


def test_the_middle_of_a_private_key_goes_where_a_source_returned_only_that() -> None:
    redacted = REDACTOR.redact("\n".join(["x started", *KEY_BODY[:2], KEY_BODY[0][:30], "next line"]))
    assert not any(line[:20] in redacted for line in KEY_BODY)
    assert redacted.startswith("x started\n")
    assert redacted.endswith("\nnext line")
    assert REDACTOR.redact(redacted) == redacted


def test_a_certificate_stays_as_it_is() -> None:
    text = "\n".join(["-----BEGIN CERTIFICATE-----", *KEY_BODY, "-----END CERTIFICATE-----"])
    assert REDACTOR.redact(text) == text


def test_plain_json_is_redacted_by_key_by_environment_and_by_text() -> None:
    value = {
        "Env": ["PATH=/bin", "DB_PASSWORD=hunter2 x", "URL=http://bob:hunter2@db/"],
        "password": "hunter2",
        "nested": {"credentials": {"user": "bob", "pass": "hunter2"}, "port": 5432, "tokens": 7},
        "env": [{"name": "API_TOKEN", "value": "hunter2"}, {"name": "MODE", "value": "prod"}],
        "dsn": "postgres://bob:hunter2@db/x",
        "log": "password=hunter2",
    }
    redacted = REDACTOR.redact_json(value)
    assert "hunter2" not in str(redacted)
    assert redacted["Env"][0] == "PATH=/bin"
    assert redacted["nested"]["port"] == 5432
    assert redacted["env"][1] == {"name": "MODE", "value": "prod"}
    assert redacted["dsn"].endswith("@db/x")
    assert REDACTOR.redact_json(redacted) == redacted


def test_the_data_of_a_kubernetes_secret_goes() -> None:
    secret = {"kind": "Secret", "metadata": {"name": "db"}, "data": {"user": "Ym9i", "x": "aHVudGVyMg=="}}
    redacted = REDACTOR.redact_json(secret)
    assert redacted["metadata"] == {"name": "db"}
    assert "aHVudGVyMg==" not in str(redacted)


FORMS = [form for form, _ in SECRETS if "x {} y" not in form and "{{" not in form]


@given(
    st.lists(st.sampled_from([*FORMS, "plain line", "", "Caused by: x"]), max_size=6),
    st.text(LETTERS, min_size=12, max_size=30),
)
@settings(max_examples=80)
def test_redaction_is_idempotent_and_keeps_the_lines(forms: list[str], word: str) -> None:
    text = "\n".join(form.replace("{}", word) for form in forms)
    redacted = REDACTOR.redact(text)
    assert REDACTOR.redact(redacted) == redacted
    assert redacted.count("\n") == text.count("\n")


@given(st.text(alphabet="pasword=:token'\"\\ \n[]redacted:;&@/-{}", max_size=120))
@settings(max_examples=150)
def test_any_text_is_redacted_once_and_for_all(text: str) -> None:
    redacted = REDACTOR.redact(text)
    assert REDACTOR.redact(redacted) == redacted
    assert redacted.count("\n") == text.count("\n")


@given(
    st.integers(0, 3000), st.integers(200, 900), st.sampled_from(["password=", "Authorization: Bearer ", "redis://:"])
)
@settings(max_examples=80)
def test_a_secret_at_a_cut_point_never_survives(before: int, limit: int, form: str) -> None:
    secret = "Zq7Xw9Kp2Lm4Nb8Vc6Ty"
    text = "a" * before + " " + form + secret + ("@h/" if "://" in form else "") + " " + "b" * 1500
    shown = cut(REDACTOR.redact(text), limit, "log.1").text
    assert not any(secret[i : i + 5] in shown for i in range(len(secret) - 4))
    assert "[redacted:" not in PLACEHOLDER.sub("", shown)


@given(st.integers(8, 60))
@settings(max_examples=30)
def test_a_token_that_a_source_cut_short_is_still_a_secret(length: int) -> None:
    token = ("ghp_" + "aB3dE5gH7j" * 6)[: length + 4]
    assert token not in REDACTOR.redact(f"using {token}")
