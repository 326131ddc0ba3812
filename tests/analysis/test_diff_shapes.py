"""Shapes of diffs that are known to hurt, each with the harmless change that looks like it."""

import pytest

from analysis.diffs.removals import effect

HURTS = {
    "deferred close": (
        "@@ func (s *Store) Lines(ctx context.Context) error {\n \trows, err := s.db.QueryContext(ctx, q)\n"
        "-\tdefer rows.Close()\n \tfor rows.Next() {\n+\t\tif skip {\n+\t\t\treturn ErrSkip\n+\t\t}\n"
        " \t}\n+\trows.Close()\n",
        "close on every way out",
    ),
    "with block": (
        "@@ def load(path):\n-    with open(path) as source:\n-        return parse(source)\n+    source = open(path)\n"
        "+    rows = parse(source)\n+    source.close()\n+    return rows\n",
        "close on every way out",
    ),
    "try with resources": (
        "@@ List<Row> rows() {\n-    try (Connection c = pool.getConnection()) {\n-      return read(c);\n-    }\n"
        "+    Connection c = pool.getConnection();\n+    List<Row> rows = read(c);\n+    c.close();\n"
        "+    return rows;\n",
        "close on every way out",
    ),
    "early return": (
        "@@ func (b *Bank) Move() error {\n \tb.mu.Lock()\n+\tif b.frozen {\n+\t\treturn ErrFrozen\n+\t}\n \tb.sum++\n"
        " \tb.mu.Unlock()\n",
        "leaves before unlock",
    ),
    "retry of all": (
        "-  .retryExceptions(GatewayTimeoutException.class)\n+  .retryExceptions(GatewayException.class)\n",
        "retries on GatewayException",
    ),
    "retry of what was spared": ("-@Retry(noRetryFor = NotFound.class)\n+@Retry()\n", "spared"),
    "no backoff": ("-retry(call, backoff.exponential(100))\n+retry(call, constant(1))\n", "retries without"),
    "client per call": (
        "@@ async def price(sku):\n-    answer = await self.client.get(url(sku))\n+    client = httpx.AsyncClient()\n"
        "+    answer = await client.get(url(sku))\n",
        "anew for each call",
    ),
    "cache gone": ("-@lru_cache(maxsize=500)\n-def rates(day):\n+def rates(day):\n", "lru_cache"),
    "no longer beside": ("-    send_mail.delay(order.id)\n+    send_mail(order.id)\n", "did beside it"),
    "unit of a call": (
        "-client.timeout(Duration.ofSeconds(30))\n+client.timeout(Duration.ofMillis(30))\n",
        "counts in milli",
    ),
    "unit of a factor": ("-    return amount * 100\n+    return amount\n", "no longer multiplies by 100"),
    "switch": ("-  verify-audience: false\n+  verify-audience: true\n", "turns verify-audience from false to true"),
    "comparison": ("-    if attempts > limit:\n+    if attempts >= limit:\n", "turns > into >="),
    "negation": ("-\tif !allowed(user) {\n+\tif allowed(user) {\n", "turns ! into no operator"),
    "narrower": ("-  quantity BIGINT NOT NULL,\n+  quantity INT NOT NULL,\n", "narrows BIGINT to INT"),
    "address": (
        "-  host: ledger-db.internal\n+  host: ledger-db-old.internal\n",
        "points host to ledger-db-old.internal",
    ),
    "renamed setting": ("-  max_idle_conns: 20\n+  max_idle_connections: 20\n", "renames the setting max_idle_conns"),
    "schedule": ('-  schedule: "0 3 * * *"\n+  schedule: "* * * * *"\n', "runs at * * * * *"),
    "permission": (
        '-      "sqs:DeleteMessage",\n       "sqs:ReceiveMessage",\n',
        "takes the permission sqs:DeleteMessage away",
    ),
    "no index": (
        "-SELECT id FROM account WHERE email = $1\n+SELECT id FROM account WHERE lower(email) = $1\n",
        "asks what no index answers",
    ),
    "deadline not passed on": (
        "-\treturn s.api.Get(ctx, id)\n+\treturn s.api.Get(context.Background(), id)\n",
        "deadline",
    ),
}


@pytest.mark.parametrize(("diff", "says"), HURTS.values(), ids=HURTS.keys())
def test_a_shape_that_hurts_is_named(diff: str, says: str) -> None:
    found = effect(diff)
    assert found.score > 0 and says in found.why, found


SWAPS = {
    "no question whether it is there": ('-    rate = row.get("rate")\n+    rate = row["rate"]\n', "without asking"),
    "value of nothing": ("-    return find(id).orElse(NONE);\n+    return find(id).get();\n", "orelse"),
    "shared by threads": (
        "-  Map<K, V> m = new ConcurrentHashMap<>();\n+  Map<K, V> m = new HashMap<>();\n",
        "threads can share",
    ),
    "no row lock": (
        "-SELECT qty FROM stock WHERE sku = $1 FOR UPDATE\n+SELECT qty FROM stock WHERE sku = $1\n",
        "FOR UPDATE",
    ),
    "no end": ("-  for i := 0; i < 3; i++ {\n+  for {\n", "loops without an end"),
    "backtracking": ("-const RE = /^[a-z.]+@/;\n+const RE = /^([a-z.]+)+@/;\n", "goes back again"),
    "blocking": ("-  const t = await fs.promises.readFile(p);\n+  const t = fs.readFileSync(p);\n", "await"),
    "swallowed": ("-    except Refused:\n-        raise\n+    except Refused:\n+        pass\n", "swallows raise"),
    "another path": ('-  app.get("/v1/bills", list);\n+  app.get("/v2/bills", list);\n', "answers at"),
    "another variable": ("-const url = process.env.MAIL_URL;\n+const url = process.env.SMTP_URL;\n", "no longer"),
    "number of a field": ("-  string unit = 4;\n+  string unit = 5;\n", "gives unit another number"),
    "made each time": (
        "-const db = openPool(url)\n function handle(r) {\n+  const db = openPool(url)\n",
        "each time, no longer once",
    ),
    "condition": (
        "-SELECT * FROM bill WHERE shop = $1 AND id = $2\n+SELECT * FROM bill WHERE id = $2\n",
        "no longer asks for shop",
    ),
}


@pytest.mark.parametrize(("diff", "says"), SWAPS.values(), ids=SWAPS.keys())
def test_words_that_stand_for_another_behaviour_are_named(diff: str, says: str) -> None:
    found = effect(diff)
    assert found.score > 0 and says in found.why, found


HARMLESS = {
    "wrapped error": '-\t\treturn err\n+\t\treturn fmt.Errorf("load: %w", err)\n',
    "null check by an optional": "-    if (u == null) return anon;\n+    return Optional.ofNullable(u).orElse(anon);\n",
    "close by a with": "-    f = open(p)\n-    f.close()\n+    with open(p) as f:\n+        f.read()\n",
    "branches exchanged": (
        "-    if ok:\n-        return run()\n-    else:\n-        return None\n+    if not ok:\n+        return None\n"
    ),
    "text for people": '-  "title": "Latency"\n+  "title": "Latency, p99"\n',
    "columns on lines": "-SELECT id,name FROM t WHERE a = $1\n+SELECT id, name\n+  FROM t\n+ WHERE a = $1\n",
    "close moved into a helper": "-\tdefer rows.Close()\n+\tdefer closeQuietly(rows)\n+\t// Close errors are logged\n",
    "lock and release both in place": "@@ f\n \tmu.Lock()\n \tdefer mu.Unlock()\n+\tif done {\n+\t\treturn nil\n+\t}\n",
    "retry of less": "-retry_on=(RequestException,)\n+retry_on=(ConnectTimeoutException,)\n",
    "client made once": "@@ class Api:\n+CLIENT = httpx.AsyncClient()\n",
    "rounding": "-\treturn math.Round(net * rate)\n+\treturn math.Round(net*rate*100) / 100\n",
    "release": '-    "express": "4.18.2",\n+    "express": "4.19.0",\n',
    "image tag": "-  image: registry.internal/shop/web:1.4.0\n+  image: registry.internal/shop/web:1.4.1\n",
    "setting moved in code": "-\td.strict = true\n+\t\tstrict: true,\n",
    "typo in a text": "-  <h2>Yuor cart</h2>\n+  <h2>Your cart</h2>\n",
    "new field": "   private final int stars;\n+  private final int votes;\n",
    "more room": "-  memory: 512Mi\n+  memory: 768Mi\n",
    "extracted helper": "-\tz := zones[strings.ToUpper(c)]\n+\tz := zoneOf(c)\n+}\n"
    "+func zoneOf(c string) Zone {\n+\treturn zones[strings.ToUpper(c)]\n",
}


@pytest.mark.parametrize("diff", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_harmless_change_that_looks_like_one_is_no_reason(diff: str) -> None:
    assert effect(diff, "requests are slow and fail with 500").score <= 0, effect(diff)


ZONE = "-    return datetime.utcnow()\n+    return datetime.now(timezone.utc)\n"
CHECK = " def create(body):\n+    if not body.phone:\n+        raise ValidationError('phone')\n"


@pytest.mark.parametrize(
    ("diff", "failing", "says"),
    [
        (ZONE, "TypeError: can't subtract offset-naive and offset-aware datetimes", "makes times with"),
        (CHECK, "POST /v1/orders 422 of old clients", "rejects what was let through"),
    ],
)
def test_what_good_changes_do_too_is_a_reason_where_the_symptom_complains_of_it(
    diff: str, failing: str, says: str
) -> None:
    assert says in effect(diff, failing).why
    assert effect(diff, "out of memory").score <= 0


def test_of_several_effects_the_one_that_fails_is_told() -> None:
    diff = "-  host: a.internal\n+  host: b.internal\n-  verify_audience: false\n+  verify_audience: true\n"
    assert "points host" in effect(diff, "connection refused").why
