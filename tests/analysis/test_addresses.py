"""Servers that configuration text names."""

import pytest

from analysis.addresses import hosts_in_env, hosts_in_text


@pytest.mark.parametrize(
    ("variable", "hosts"),
    [
        ("DATABASE_URL=postgres://u:p@shop-db:5432/shop", ["shop-db:5432"]),
        ("REDIS_HOST=cache", ["cache"]),
        ("KAFKA_BROKERS=k1:9092,k2:9092", ["k1:9092", "k2:9092"]),
        ("DSN=host=db user=x password=y", ["db"]),
        ("MYSQL=app:pw@tcp(mysql:3306)/shop", ["mysql:3306"]),
        ("PAYMENTS_ENDPOINT=https://api.pay.example/v1", ["api.pay.example"]),
        ("API_URL=http://localhost:8080", []),
        ("PASSWORD=hunter2", []),
        ("MODE=db", []),
        ("DB_PORT=5432", []),
        ("EMPTY_HOST=", []),
    ],
)  # fmt: skip
def test_servers_of_a_variable(variable: str, hosts: list[str]) -> None:
    assert list(hosts_in_env(variable)) == hosts


def test_the_password_of_a_url_is_no_server() -> None:
    assert list(hosts_in_text("amqp://guest:gu:est@mq:5672/%2f")) == ["mq:5672"]
