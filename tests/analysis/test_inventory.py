"""The inventory: which names are one thing, who has which address, who needs whom."""

from analysis.inventory import Inventory
from domain.facts import Attribute, Fact
from domain.results import Edge

ID = "3f" * 32


def container(name: str, **told: Attribute) -> Fact:
    return Fact("container", f"container:{name}", dict(told))


SHOP = (
    container("shop-api-1", id=ID, service="api", project="shop", env=["DATABASE_URL=postgres://u:p@db:5432/x", "MAIL_HOST=smtp.mail.example"],
              networks=["shop_default=172.20.0.5"], depends_on=["cache"], mounts=["uploads:/data:rw", "/etc/x:/x:ro"], ports=["0.0.0.0:8080->80/tcp"], aliases=["backend"]),
    container("shop-db-1", service="db", networks=["shop_default=172.20.0.6"]),
    container("cache", networks=["shop_default=172.20.0.7"]),
)  # fmt: skip


def test_id_name_service_alias_and_address_are_one_container() -> None:
    inventory = Inventory.build(SHOP)
    for name in ("shop-api-1", ID, ID[:12], "api", "service:api", "backend", "172.20.0.5", "172.20.0.5:80", "http://api:80/x", "localhost:8080"):
        assert inventory.resolve(name) is not None, name
        assert inventory.same(inventory.resolve(name) or "", "container:shop-api-1"), name
    assert inventory.resolve("nobody") is None and not inventory.same("service:api", "service:db")


def test_an_event_under_its_id_leads_to_the_name() -> None:
    event = Fact("event", "container:web", {"component": "docker", "object": "ab" * 32, "action": "die"})
    assert Inventory.build((event,)).resolve("abababababab") == "container:web"


def test_compose_environment_and_volumes_tell_who_needs_whom() -> None:
    inventory = Inventory.build(SHOP)
    origins = {(edge.caller, edge.callee): edge.origin for edge in inventory.edges()}
    assert origins["container:shop-api-1", "container:cache"] == "compose"
    assert inventory.depends("service:api", "service:db") and not inventory.depends("service:db", "service:api")
    assert origins["container:shop-api-1", "external:smtp.mail.example"] == "env"
    assert origins["container:shop-api-1", "volume:uploads"] == "volume"
    assert not any("/etc/x" in callee for _, callee in origins)


def test_dependencies_reach_through_others_and_end_in_circles() -> None:
    inventory = Inventory.build((), (Edge("web", "api"), Edge("api", "db"), Edge("db", "api")))
    assert inventory.depends("service:web", "service:db") and inventory.depends("service:db", "service:api")
    assert not inventory.depends("service:api", "service:web") and not inventory.depends("service:db", "service:db")


def test_a_container_in_anothers_network_needs_it() -> None:
    inventory = Inventory.build((container("vpn"), container("torrent", network_mode="container:vpn")))
    assert inventory.depends("container:torrent", "container:vpn")


def test_pods_belong_to_their_workload_and_node_and_need_claims() -> None:
    pod = Fact("pod", "pod:cart-6d4cf56db6-x7k2p", {"owner": "ReplicaSet/cart-6d4cf56db6", "node": "n1", "claims": ["data"], "service_account": "cart", "addresses": ["10.1.0.9"]})
    inside = container("cart-app", pod="cart-6d4cf56db6-x7k2p")
    claim = Fact("claim", "volume:data", {"used_by": ["cart-6d4cf56db6-x7k2p"], "storage_class": "fast"})
    inventory = Inventory.build((pod, inside, claim))
    assert "service:cart" in inventory.related(pod.entity) and "host:n1" in inventory.related(pod.entity)
    assert inventory.depends("service:cart", pod.entity) and inventory.depends("service:cart", "volume:fast")
    assert inventory.depends(pod.entity, "user:cart")
    assert inventory.same("container:cart-app", pod.entity)
    assert inventory.resolve("10.1.0.9:8080") in (pod.entity, "container:cart-app")


def test_containers_of_one_name_in_several_pods_are_not_any_one_pod() -> None:
    facts = [container("app", pod=f"web-{n}") for n in "12"]
    pods = [Fact("pod", f"pod:web-{n}", {}) for n in "12"]
    inventory = Inventory.build((*facts, *pods))
    assert not inventory.same("pod:web-1", "pod:web-2")


def test_names_inside_a_cluster_mean_their_first_label_and_public_ones_do_not() -> None:
    inventory = Inventory.build((Fact("object", "service:redis", {"type": "service"}), Fact("pod", "pod:mq-0", {})))
    assert inventory.resolve("redis.shop.svc.cluster.local:6379") == "service:redis"
    assert inventory.resolve("rabbit@mq-0.mq-headless.shop.svc.cluster.local") == "pod:mq-0"
    assert inventory.resolve("redis.com") is None


def test_the_last_owner_of_an_address_has_it() -> None:
    network = Fact("docker_network", "network:web", {"addresses": ["old=172.18.0.3", "new=172.18.0.3"]})
    inventory = Inventory.build((network,))
    assert inventory.address_owner("172.18.0.3") == "container:new" and inventory.address_owner("172.18.0.99") is None


def test_a_log_is_of_the_container_it_is_named_after_or_of_a_service() -> None:
    inventory = Inventory.build((container("web"), Fact("pod", "pod:pay-7f9dd8b6c4-k2m4p", {})))
    assert inventory.owner("logs/web.log.gz") == "container:web"
    assert inventory.owner("artifacts/kubectl_logs_pay-7f9dd8b6c4-k2m4p.txt") == "pod:pay-7f9dd8b6c4-k2m4p"
    assert inventory.owner("logs/ledger.jsonl") == "service:ledger"


def test_a_name_of_two_kinds_goes_to_the_kind_that_was_meant() -> None:
    inventory = Inventory.build((Fact("filesystem", "disk:data", {}), Fact("volume", "volume:data", {})))
    assert inventory.resolve("data", "volume") == "volume:data" and inventory.resolve("disk:data") == "disk:data"


def test_the_same_facts_in_any_order_give_the_same_edges() -> None:
    assert Inventory.build(SHOP).edges() == Inventory.build(tuple(reversed(SHOP))).edges()


def test_an_empty_inventory_answers_everything() -> None:
    inventory = Inventory.build(())
    assert inventory.resolve("x") is None and inventory.related("pod:x") == () and inventory.same("service:x", "container:x")
    assert not inventory.depends("service:a", "service:b") and inventory.edges() == ()
