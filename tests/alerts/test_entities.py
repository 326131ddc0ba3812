from alerts.entities import entities
from domain.alert import Alert
from domain.entity import is_entity


def about(labels: dict[str, str], annotations: dict[str, str] | None = None) -> list[str]:
    return entities(Alert("test", "x", labels, annotations or {}))


def test_what_runs_comes_before_what_it_runs_on():
    labels = {
        "alertname": "X",
        "instance": "node-7:9100",
        "job": "node",
        "service": "orders",
        "container": "orders-api",
    }

    assert about(labels) == ["container:orders-api", "service:orders", "host:node-7", "service:node"]


def test_a_database_instance_in_an_annotation_comes_before_the_service_that_only_names_the_product():
    found = about({"service": "rds", "engine": "postgres"}, {"db_instance_identifier": "orders-db"})

    assert found == ["database:orders-db", "service:rds"]


def test_a_pod_of_an_annotation_is_found_under_the_names_that_senders_use():
    assert about({"service": "pay"}, {"kube_pod": "pay-1"}) == ["pod:pay-1", "service:pay"]


def test_a_full_disk_is_named_before_its_host():
    found = about({"instance": "node-7:9100", "mountpoint": "/var/lib/data", "device": "/dev/sdb1"})

    assert found == ["disk:/var/lib/data", "disk:/dev/sdb1", "host:node-7"]


def test_a_queue_and_a_claim_have_kinds_of_their_own():
    assert about({"queue": "orders.process", "persistentvolumeclaim": "data-0"}) == [
        "queue:orders.process",
        "volume:data-0",
    ]


def test_who_only_measures_comes_last():
    found = about({"container": "kube-state-metrics", "pod": "kube-state-metrics-0", "deployment": "orders"})

    assert found[0] == "service:orders"


def test_an_exporters_port_is_no_part_of_a_host_and_an_address_of_version_six_stays_whole():
    assert about({"instance": "10.0.0.7:9100"}) == ["host:10.0.0.7"]
    assert about({"instance": "fe80::1:9100"}) == ["host:fe80::1:9100"]


def test_values_that_say_nothing_and_templates_that_nobody_filled_in_are_left_out():
    assert about({"host": "$HOSTNAME", "service": "unknown", "pod": "  ", "container": "{{ name }}"}) == []


def test_every_entity_is_well_formed_even_when_a_label_is_not():
    found = about({"service": "a,b", "container": ";x", "pod": "p" * 400, "host": "h\nx", "database": "|"})

    assert found
    assert all(is_entity(one) for one in found)
