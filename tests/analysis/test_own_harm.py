"""Shapes that are a reason only for the very harm that they do, each with the harmless change that looks like it."""

import pytest

from analysis.diffs.backtracking import goes_back
from analysis.diffs.own_harm import own_harm
from analysis.diffs.removals import effect

OTHER = "the certificate of the mail gateway has expired"  # what none of these does

# name: what hurts, what is complained of, what is said of it, the harmless twin
SHAPES = {
    "time to start": (
        " livenessProbe:\n-  initialDelaySeconds: 90\n   periodSeconds: 5\n",
        "Liveness probe failed, container restarted",
        "less time to start",
        " livenessProbe:\n-  initialDelaySeconds: 90\n+startupProbe:\n+  failureThreshold: 30\n",
    ),
    "no limits": (" resources:\n-  limits:\n-    memory: 2Gi\n", "node out of memory", "no longer bounds", ""),
    "policy": (
        "+kind: NetworkPolicy\n+  policyTypes: [Ingress]\n",
        "dial tcp: i/o timeout, connection timed out",
        "lets only some",
        "+kind: Service\n+  ports: [8080]\n",
    ),
    "ingress rule": (
        "-  ingress {\n-    from_port = 5432\n-  }\n",
        "connection to the database timed out",
        "no longer lets",
        "-  ingress {\n-    from_port = 5432\n-  }\n+  ingress {\n+    from_port = 5432\n+    to_port = 5432\n+  }\n",
    ),
    "key of a secret": (
        "-          key: db-password\n+          key: database-password\n",
        "couldn't find key database-password in Secret",
        "takes the key",
        "-          key: db-password\n+            key: db-password\n",
    ),
    "image": (
        "-  image: shop/api:1.4.2\n+  image: shop/api:latest\n",
        "exec format error",
        "runs the",
        "-  image: shop/api:1.4.2\n+   image: shop/api:1.4.2\n",
    ),
    "user": (
        " COPY . .\n+USER 1001\n",
        "EACCES: permission denied, mkdir '/srv/cache'",
        "fewer rights",
        " COPY . .\n+RUN chown -R 1001 /srv\n+USER 1001\n",
    ),
    "root file system": (
        " securityContext:\n+  readOnlyRootFilesystem: true\n",
        "OSError: [Errno 30] Read-only file system",
        "fewer rights",
        " securityContext:\n+  readOnlyRootFilesystem: true\n+volumes:\n+  - emptyDir: {}\n",
    ),
    "tolerations": (
        "-      tolerations:\n-        - key: gpu\n",
        "0/12 nodes are available: untolerated taint",
        "other machines",
        "-      tolerations:\n-        - key: gpu\n+      tolerations:\n+        - key: gpu\n"
        "+          operator: Exists\n",
    ),
    "grace": (
        "-  terminationGracePeriodSeconds: 120\n",
        "502 while pods are replaced, connection reset",
        "before its work is done",
        "-  terminationGracePeriodSeconds: 120\n+  terminationGracePeriodSeconds: 180\n",
    ),
    "volume": (
        "-    - data:/var/lib/postgresql/data\n",
        'relation "orders" does not exist',
        "no longer keeps",
        "-    - data:/var/lib/postgresql/data\n+  - data:/var/lib/postgresql/data\n",
    ),
    "sticky": (
        "-  sessionAffinity: ClientIP\n+  sessionAffinity: None\n",
        "session not found, user logged out",
        "at one instance",
        "-  sessionAffinity: ClientIP\n+    sessionAffinity: ClientIP\n",
    ),
    "rate limit for all": (
        "-limit_req_zone $binary_remote_addr zone=a:10m rate=10r/s;\n"
        "+limit_req_zone $server_name zone=a:10m rate=10r/s;\n",
        "429 too many requests",
        "share one limit",
        "-limit_req_zone $binary_remote_addr zone=a:10m;\n+limit_req_zone $binary_remote_addr zone=b:10m;\n",
    ),
    "issuer": (
        "-  issuerRef: {name: le-prod}\n+  issuerRef: {name: le-staging}\n",
        "x509: certificate signed by unknown authority",
        "le-staging",
        "-  issuerRef: {name: le-prod}\n+    issuerRef: {name: le-prod}\n",
    ),
    "rights": (
        '-    Resource = "*"\n+    Resource = "arn:aws:s3:::assets/public/*"\n',
        "AccessDenied: 403 forbidden",
        "allows",
        '-    Resource = "*"\n+      Resource = "*"\n',
    ),
    "table lock": (
        "+ALTER TABLE events ALTER COLUMN id TYPE bigint;\n",
        "canceling statement due to lock timeout",
        "locks the whole table",
        "+ALTER TABLE events ADD COLUMN note text;\n",
    ),
    "index while writing": (
        "+CREATE INDEX i ON orders (shop);\n",
        "Lock wait timeout exceeded",
        "locks the whole table",
        "+CREATE INDEX CONCURRENTLY i ON orders (shop);\n",
    ),
    "constraint": (
        "+ALTER TABLE bill ADD CONSTRAINT c CHECK (sum > 0);\n",
        "statements are blocked, waiting for AccessExclusiveLock",
        "locks the whole table",
        "+ALTER TABLE bill ADD CONSTRAINT c FOREIGN KEY (shop) REFERENCES shop NOT VALID;\n",
    ),
    "row lock": (
        "-SELECT qty FROM stock WHERE sku = ?\n+SELECT qty FROM stock WHERE sku = ? FOR UPDATE\n",
        "Lock wait timeout exceeded",
        "locks the rows",
        "-SELECT id FROM job LIMIT 5\n+SELECT id FROM job LIMIT 5 FOR UPDATE SKIP LOCKED\n",
    ),
    "pool mode": (
        "-pool_mode = session\n+pool_mode = transaction\n",
        'prepared statement "s1" does not exist',
        "shares sessions",
        "-pool_mode = session\n+ pool_mode = session\n",
    ),
    "charset": (
        "-charset=utf8mb4\n+charset=utf8\n",
        "Incorrect string value: '\\xF0\\x9F'",
        "keeps texts",
        "-charset=utf8\n+charset=utf8mb4\n",
    ),
    "all at once": (
        "-    items = api.list(page=n, per_page=100)\n+    items = api.list_all()\n",
        "worker out of memory",
        "all at once",
        "-    items = api.list(page=n, per_page=100)\n+    items = api.list(page=n, per_page=50)\n",
    ),
    "key of a message": (
        "-producer.send(topic, key=order.user, value=v)\n+producer.send(topic, value=v)\n",
        "events out of order",
        "sends without",
        "-producer.send(topic, key=order.user, value=v)\n+producer.send(topic, key=order.account, value=v)\n",
    ),
    "early ack": (
        "-    work(msg)\n-    channel.basic_ack(tag)\n+    channel.basic_ack(tag)\n+    work(msg)\n",
        "orders were lost, never processed",
        "before the work is done",
        "-    work(msg)\n-    channel.basic_ack(tag)\n+    work(msg)\n+        channel.basic_ack(tag)\n",
    ),
    "jitter": (
        "-ttl = 300 + random.randint(0, 60)\n+ttl = 300\n",
        "database overload every five minutes",
        "at one time",
        "-ttl = 300 + random.randint(0, 60)\n+ttl = 300 + random.randint(0, 90)\n",
    ),
    "bound of work": (
        "-sem <- struct{}{}\n-go func() { defer func() { <-sem }(); run(x) }()\n+go run(x)\n",
        "too many open files",
        "as is asked for",
        "-sem <- struct{}{}\n+limiter.Wait(ctx)\n",
    ),
    "lock order": (
        "-lock(a); lock(b);\n+lock(b); lock(a);\n",
        "deadlock detected",
        "another order",
        "-lock(a); lock(b);\n+lock(a);\n+lock(b);\n",
    ),
    "number handed on": (
        "-setInterval(refresh, 60000)\n+setInterval(refresh, 1000)\n",
        "429 too many requests",
        "hands 1000 to setInterval",
        "-setInterval(refresh, 60000)\n+setInterval(refresh, 50000)\n",
    ),
    "type of a field": (
        "-    private String name;\n+    private FullName name;\n",
        "failed to deserialize: InvalidClassException",
        "makes name a FullName",
        "-    private String name;\n+    private String title;\n",
    ),
    "heap option": (
        '-ENV JAVA_OPTS="-Xmx3g -Dx=1"\n+ENV JAVA_OPTS="-Dx=1"\n',
        "OutOfMemoryError: Java heap space",
        "runs without -Xmx3g",
        '-ENV JAVA_OPTS="-Xmx3g -Dx=1"\n+ENV JAVA_OPTS="-XX:MaxRAMPercentage=75 -Dx=1"\n',
    ),
    "grown heap": ("-  -Xmx1g\n+  -Xmx4g\n", "OOMKilled", "raises xmx", "-  -Xmx1g\n+  -Xmx1200m\n"),
    "retention": (
        "+  lifecycle_rule { expiration { days = 30 } }\n",
        "NoSuchKey: 404",
        "deletes after a while",
        "+  versioning { enabled = true }\n",
    ),
    "entry": (
        "-  command: ['run', 'web']\n+  command: ['run', 'server']\n",
        "unknown option server, exited",
        "starts as",
        "-  command: ['run', 'web']\n+    command: ['run', 'web']\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("diff", "failing", "says", "twin"), SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_counts_for_its_own_harm_alone(diff: str, failing: str, says: str, twin: str) -> None:
    found = effect(diff, failing)
    assert found.score > 0 and says in found.why, found
    assert says not in effect(diff, OTHER).why or effect(diff, OTHER).score <= 0 or says == "le-staging"
    assert says not in effect(twin, failing).why, effect(twin, failing)


SURE = {
    "backtracking": (
        '-A = re.compile(r"^[a-z ]+$")\n+A = re.compile(r"^(?:[a-z.]+[ ,]?)+$")\n',
        "goes back again",
        '-A = re.compile(r"^[a-z ]+$")\n+A = re.compile(r"^(?:[a-z.]+,)+$")\n',
    ),
    "backtracking of two": (
        "-const R = /a=b/;\n+const R = /^x.*.*=.*$/;\n",
        "goes back again",
        '-var r = regexp.MustCompile("a")\n+var r = regexp.MustCompile("(a+)+b")\n',
    ),
    "options of the start command": (
        '-ENTRYPOINT ["sh", "-c", "java $APP_OPTS -jar a.jar"]\n+ENTRYPOINT ["java", "-jar", "a.jar"]\n',
        "no longer passes $APP_OPTS",
        '-ENTRYPOINT ["sh", "-c", "java $JAVA_TOOL_OPTIONS -jar a.jar"]\n+ENTRYPOINT ["java", "-jar", "a.jar"]\n',
    ),
    "options that no shell fills in": (
        '-CMD java $APP_OPTS -jar a.jar\n+CMD ["java", "$APP_OPTS", "-jar", "a.jar"]\n',
        "no longer passes $APP_OPTS",
        '-CMD java $APP_OPTS -jar a.jar\n+CMD ["sh", "-c", "exec java $APP_OPTS -jar a.jar"]\n',
    ),
    "default of a module": (
        '-resource "aws_sqs_queue" "mails" {\n-  name = "mails-out"\n-  visibility_timeout_seconds = 900\n-}\n'
        '+module "mails" {\n+  source = "git::ssh://tf-sqs"\n+  name = "mails-out"\n+}\n',
        "no longer sets visibility_timeout_seconds (900)",
        '-resource "aws_sqs_queue" "mails" {\n-  name = "mails-out"\n-  visibility_timeout_seconds = 900\n-}\n'
        '+module "mails" {\n+  source = "git::ssh://tf-sqs"\n+  name = "mails-out"\n'
        "+  visibility_timeout = 900\n+}\n",
    ),
    "variable of another name": (
        '-    addr: env.String("SMTP_ADDR", "localhost:25"),\n'
        '+    addr: env.String("MAIL_SMTP_ADDR", "localhost:25"),\n',
        "reads MAIL_SMTP_ADDR, no longer SMTP_ADDR",
        '-    addr: env.String("SMTP_ADDR", "localhost:25"),\n+    addr: env.Text("SMTP_ADDR", "localhost:25"),\n',
    ),
    "transaction around a call": (
        "@@ class Bills(val hub: HubClient) {\n-    fun bill(id: Id) {\n"
        "-        val b = tx.execute { bills.open(id) }\n"
        "-        hub.send(b)\n-    }\n+    @Transactional\n+    fun bill(id: Id) {\n"
        "+        val b = bills.open(id)\n"
        "+        hub.send(b)\n+    }\n",
        "during the remote call hub.send",
        "@@ class Bills(val hub: HubClient) {\n+    @Transactional\n     fun bill(id: Id) {\n"
        "         bills.open(id)\n     }\n"
        "     fun send(b: Bill) {\n         hub.send(b)\n     }\n",
    ),
    "transaction in a block": (
        "@@ def pay(bill):\n     with transaction.atomic():\n         bill.save()\n"
        "-    requests.post(URL, json=bill.body)\n"
        "+        requests.post(URL, json=bill.body)\n",
        "during the remote call requests.post",
        "@@ def pay(bill):\n+    with transaction.atomic():\n+        bill.save()\n"
        "     requests.post(URL, json=bill.body)\n",
    ),
    "transaction between begin and commit": (
        "@@ func (s *S) Pay(ctx context.Context) error {\n \ttx, err := s.db.BeginTx(ctx, nil)\n \ttx.Exec(q)\n"
        "+\terr = s.bankClient.Charge(ctx)\n \treturn tx.Commit()\n",
        "during the new remote call",
        "@@ func (s *S) Pay(ctx context.Context) error {\n \ttx, err := s.db.BeginTx(ctx, nil)\n \ttx.Exec(q)\n"
        " \terr = tx.Commit()\n+\terr = s.bankClient.Charge(ctx)\n",
    ),
}


@pytest.mark.parametrize(("diff", "says", "twin"), SURE.values(), ids=SURE.keys())
def test_a_shape_that_hurts_by_itself_is_told_from_its_twin(diff: str, says: str, twin: str) -> None:
    found = effect(diff)
    assert found.score > 0 and says in found.why, found
    assert says not in effect(twin).why, effect(twin)


@pytest.mark.parametrize("pattern", [r"(\w+\s*)+", r"(?:[a-z]+-?)*", r"(\w|\d)+", r"(a*)*"])
def test_a_repetition_that_can_be_cut_in_many_ways_goes_back(pattern: str) -> None:
    assert list(goes_back([], [f're.match(r"^{pattern}$", text)']))


@pytest.mark.parametrize(
    "pattern", [r"(?:\w+,)*", r"(?:\.\w+)+", r"(?:\d{3})+", r"([a-z]+)", r"(?:a|b)+", r"(?:\w++ ?)+"]
)
def test_a_repetition_that_can_be_cut_in_one_way_does_not(pattern: str) -> None:
    assert not list(goes_back([], [f're.match(r"^{pattern}$", text)']))


def test_diffs_as_long_as_a_generated_file_are_read_once() -> None:
    removed = [f"x = call(a{at}, {at})" for at in range(20_000)]
    added = [f"y = other(a{at}, {at})" for at in range(20_000)]
    acks = [*["-channel.ack(m)"] * 20_000, *["+queue.ack(m)"] * 20_000]
    nested = "re.match('" + "(a|b[c" * 100_000 + "')"
    assert list(own_harm("\n".join(acks), removed, added)) == list(goes_back([], [nested])) == []
