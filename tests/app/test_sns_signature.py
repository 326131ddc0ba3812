"""Signed messages of Amazon SNS, with a certificate of our own in the place of Amazon's."""

import base64
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from app.auth import check_start
from app.settings import load_settings
from app.sns_signature import check, signed
from domain.errors import BadConfiguration, BadSignature
from store.database import Database
from tests.app.serving import NOW, serving

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ALARM = {"AlarmName": "queue-depth", "NewStateValue": "ALARM"}


def written(folder: Path, ends: datetime = NOW + timedelta(days=30)) -> Path:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(NOW - timedelta(days=1)).not_valid_after(ends)
    path = folder / "sns.pem"
    path.write_bytes(builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return path


def message(version: str = "2", at: datetime = NOW, **more: str) -> dict[str, Any]:
    told = {"Type": "Notification", "MessageId": "m", "TopicArn": "arn:aws:sns:eu-1:1:ops",
     "Message": json.dumps(ALARM),
            "Timestamp": f"{at:%Y-%m-%dT%H:%M:%S.000Z}", "SignatureVersion": version, **more}  # fmt: skip
    algorithm = hashes.SHA256() if version == "2" else hashes.SHA1()  # version 1 of SNS
    signature = KEY.sign(signed(told), padding.PKCS1v15(), algorithm)
    return told | {"Signature": base64.b64encode(signature).decode()}


@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_signed_message_is_taken_and_a_changed_one_is_not(
    database: Database, tmp_path: Path, version: str
) -> None:
    senders = {"cloudwatch": {"sns_certificates": [str(written(tmp_path))]}}
    good = message(version, Subject="ALARM")
    async with serving(database, senders=senders) as client:
        assert (await client.post("/webhooks/cloudwatch", json=good)).status_code == 202
        answer = await client.post("/webhooks/cloudwatch", json=good | {"Subject": "OK"})
        assert answer.status_code == 401 and "fits none" in answer.json()["error"]
        assert (await client.post("/webhooks/cloudwatch", json=ALARM)).status_code == 401


def test_a_handshake_is_signed_with_its_address_and_token(tmp_path: Path) -> None:
    asks = message(Type="SubscriptionConfirmation", SubscribeURL="https://sns.eu-1.amazonaws.com/", Token="t")
    path = written(tmp_path)
    check((path,), json.dumps(asks).encode(), NOW)
    with pytest.raises(BadSignature):
        check((path,), json.dumps(asks | {"SubscribeURL": "https://evil.example/"}).encode(), NOW)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"Signature": "x"}', b'{"SignatureVersion": "2", "Signature": "?"}']
)
def test_what_is_no_signed_message_is_refused_with_a_line(tmp_path: Path, body: bytes) -> None:
    with pytest.raises(BadSignature):
        check((written(tmp_path),), body, NOW)


def test_an_old_message_and_an_ended_certificate_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(BadSignature, match="old post"):
        check((path,), json.dumps(message(at=NOW - timedelta(hours=2))).encode(), NOW)
    with pytest.raises(BadSignature, match="valid now"):
        check((path,), json.dumps(message()).encode(), NOW + timedelta(days=60))


def test_a_certificate_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pem"
    bad.write_text("no certificate")
    settings = load_settings(senders={"cloudwatch": {"sns_certificates": [str(bad)]}})
    with pytest.raises(BadConfiguration, match=r"bad\.pem"):
        check_start(settings, "127.0.0.1")
