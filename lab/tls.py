"""A payments service behind nginx with a certificate of its own authority, and a client that pushes to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lab import nginx
from lab.load import HOSTILE_AGENT
from lab.record import Recording, processes
from lab.stage import PROGRAMS, Stage, wait_for_port

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJsZWRnZXIifQ.w8Zr1uQb5vT0kXyPn3sJ4mLd7cHgFa2e"
NAME = "payments.shop.internal"
NAMES = {NAME: "10.20.0.18", "payments-api": "10.20.0.19", "ledger-sync": "10.20.0.20"}
URL = f"https://{NAME}/api/batches"
SERVERS = f"""
  upstream payments {{ server payments-api:8083; }}
  server {{
    listen {NAMES[NAME]}:443 ssl;
    server_name {NAME};
    ssl_certificate /srv/pki/payments.pem;
    ssl_certificate_key /srv/pki/payments.key;
    location / {{ proxy_pass http://payments; }}
  }}
"""
CA = """[ca]
default_ca = shop
[shop]
database = db/index
new_certs_dir = db
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
subjectAltName = DNS:{name}
"""
AUTHORITY = """set -e; mkdir -p /srv/pki/db; cd /srv/pki; touch db/index
test -e {authority}.pem || openssl req -x509 -newkey rsa:2048 -nodes -keyout {authority}.key -out {authority}.pem \\
  -days 3650 -subj '/CN={common}' 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout new.key -out new.csr -subj '/CN={name}' 2>/dev/null
"""


def issue(stage: Stage, *, name: str = NAME, authority: str = "ca", ends: datetime | None = None) -> None:
    """A new certificate for nginx; clients trust the authority `ca` alone. nginx takes it at its next reload."""
    last = ends or datetime.now(UTC) + timedelta(days=90)
    common = {"ca": "Shop Internal CA"}.get(authority, "Shop Issuing CA 2")
    Path("/srv/pki").mkdir(exist_ok=True)
    Path("/srv/pki/ca.conf").write_text(CA.format(name=name), encoding="utf-8")
    stage.run_ok(
        AUTHORITY.format(authority=authority, common=common, name=name)
        + f"openssl ca -batch -config ca.conf -cert {authority}.pem -keyfile {authority}.key -in new.csr -out new.pem "
        f"-startdate {last - timedelta(days=90):%Y%m%d%H%M%SZ} -enddate {last:%Y%m%d%H%M%SZ} -notext\n"
        "mv new.key payments.key; mv new.pem payments.pem"
    )


def start(stage: Stage, recording: Recording) -> None:
    """payments-api, nginx before it, and ledger-sync, which pushes every two seconds."""
    stage.start_service("payments-api", "catalog_api.py", 8083)
    nginx.start(stage, SERVERS, NAMES[NAME], 443)
    Path("/srv/ledger-sync").mkdir()
    shutil.copy(PROGRAMS / "ledger_sync.sh", "/srv/ledger-sync/ledger_sync.sh")
    stage.start("ledger-sync", ["sh", "/srv/ledger-sync/ledger_sync.sh"], env={"URL": URL, "TOKEN": TOKEN})
    recording.watch(pushes, processes(stage, "nginx", "payments-api", "ledger-sync"))
    recording.authority = "/srv/pki/ca.pem"
    recording.probe(f"https://{NAME}/health", "http://payments-api:8083/health")
    wait_for_port(NAMES[NAME], 443)
    stage.run(f"curl -sS -m 5 --cacert /srv/pki/ca.pem -A '{HOSTILE_AGENT}' {URL}/1")


def pushes() -> Iterable[tuple[str, str, float]]:
    """What the log of ledger-sync says of its last pushes."""
    last = Path("/var/log/ledger-sync.log").read_text(encoding="utf-8").splitlines()[-3:]
    yield "service:ledger-sync", "push_error_ratio", sum(" ERROR " in row for row in last) / max(1, len(last))
