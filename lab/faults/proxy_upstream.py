"""proxy.upstream_down: one of two services behind nginx stops and nobody starts it again."""

from __future__ import annotations

from lab import nginx
from lab.load import CANARY, Clients, Request
from lab.record import Alert, Expected, Recording, processes
from lab.scenario import Scenario, timeline
from lab.stage import Host, Stage, wait_for_port

NAMES = {"edge": "10.20.0.10", "catalog-api": "10.20.0.16", "cart-api": "10.20.0.17"}
PORTS = {"catalog-api": 8081, "cart-api": 8082}
SERVERS = """
  upstream catalog { server catalog-api:8081; }
  upstream cart { server cart-api:8082; }
  server {
    listen 10.20.0.10:80;
    server_name shop.example;
    location /api/catalog/ { proxy_pass http://catalog; proxy_connect_timeout 2s; }
    location /api/cart/ { proxy_pass http://cart; proxy_connect_timeout 2s; }
  }
"""


def play(stage: Stage, recording: Recording, healthy: bool) -> None:
    for name, port in PORTS.items():
        stage.start_python(name, "catalog_api.py", env={"NAME": name, "LISTEN": NAMES[name], "PORT": str(port)})
        wait_for_port(NAMES[name], port)
    nginx.start(stage, SERVERS, NAMES["edge"], 80)
    clients = Clients("edge", (NAMES["edge"], 80), visit, rate=4, hostile=True).start()
    recording.watch(clients.sample, processes(stage, "nginx", *PORTS))
    recording.edges = [("edge", name) for name in PORTS]
    timeline(recording, None if healthy else lambda: stage.stop("cart-api"))
    recording.capture(
        "date -u",
        "ps -eo pid,user,etimes,rss,args",
        "ss -ltn",
        "cat /etc/hosts",
        "curl -sS -m 3 -o /dev/null -w '%{http_code}\\n' http://cart-api:8082/health",
        "curl -sS -m 3 -o /dev/null -w '%{http_code}\\n' http://catalog-api:8081/health",
        f"cat {nginx.CONF}",
        "df -h /srv",
        "free -m",
    )


def visit(number: int) -> Request:
    if number % 5 < 3:
        return Request("GET", f"/api/catalog/{100 + number % 50}")
    return Request(
        "POST", "/api/cart/items?api_key=sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", {"sku": f"SKU-{number % 40}"}
    )


SCENARIO = Scenario(
    folder="edge-502",
    host=Host("edge-1", NAMES),
    alert=Alert(
        "Edge5xxRatioHigh",
        "502 ratio high on shop.example",
        "About 40 % of the requests at the edge answer 502.",
        {"service": "edge", "instance": "edge-1"},
    ),
    calm=Alert(
        "EdgeSmokeTest",
        "Smoke test of shop.example after a certificate rotation",
        "Planned check: does the edge serve all routes?",
        {"service": "edge", "instance": "edge-1"},
        "info",
    ),
    expected=Expected(
        fault="proxy.upstream_down",
        entities=["cart-api", "10.20.0.17"],
        terms=[
            ["connection refused", "refused", "not listening", "111"],
            ["upstream", "cart-api", "cart api"],
            ["stopped", "down", "not running", "sigterm", "exited", "dead", "unavailable"],
        ],
        tempting="nginx itself or its configuration is broken",
        difficulty="easy",
        must_not_appear=["4eC39HqLyjWDarjtT1zdp7dc", CANARY],
    ),
    play=play,
    source="lab: proxy_upstream",
)
