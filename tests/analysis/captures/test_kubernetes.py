"""Output of kubectl."""

# ruff: noqa: E501 (samples are as long as programs print them)

import json

from tests.analysis.captures.reading import only, read

DESCRIBED = """\
$ kubectl describe pod cart-5d9c7b8f6d-h2k4x -n shop
Name:             cart-5d9c7b8f6d-h2k4x
Namespace:        shop
Priority:         0
Service Account:  cart
Node:             node-b/10.0.0.12
Start Time:       Mon, 02 Feb 2026 09:00:00 +0000
Labels:           app=cart
                  pod-template-hash=5d9c7b8f6d
Status:           Running
IP:               10.1.2.3
Controlled By:    ReplicaSet/cart-5d9c7b8f6d
Init Containers:
  migrate:
    Image:          shop/migrate:1
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
    Ready:          True
    Restart Count:  0
Containers:
  cart:
    Container ID:  containerd://0123456789abcdef
    Image:         shop/cart:7
    Port:          8080/TCP
    Command:
      java
    Args:
      -Xmx900m
      -jar
      note: 1
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Mon, 02 Feb 2026 09:05:00 +0000
      Finished:     Mon, 02 Feb 2026 09:05:09 +0000
    Ready:          False
    Restart Count:  5
    Limits:
      cpu:     500m
      memory:  512Mi
    Requests:
      memory:   128M
    Liveness:   http-get http://:8080/live delay=5s timeout=1s period=10s #success=1 #failure=3
    Environment:
      DB_URL:   postgres://db:5432/cart
      TOKEN:    <set to the key 'token' in secret 'cart-secrets'>  Optional: false
    Mounts:
      /data from data (rw)
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  PodScheduled      True
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  cart-data
    ReadOnly:   false
QoS Class:                   Burstable
Node-Selectors:              disk=ssd
Events:
  Type     Reason     Age                  From               Message
  ----     ------     ----                 ----               -------
  Normal   Scheduled  10m                  default-scheduler  Successfully assigned shop/cart to node-b
  Warning  BackOff    30s (x25 over 9m3s)  kubelet            Back-off restarting failed container cart in pod cart
"""


def test_a_described_pod_tells_its_state_its_containers_and_its_events() -> None:
    pod, init, _, scheduled, backoff = read(DESCRIBED)
    assert (pod.entity, pod.attributes["status"], pod.attributes["ready"], pod.attributes["restarts"]) == (
        "pod:cart-5d9c7b8f6d-h2k4x",
        "CrashLoopBackOff",
        False,
        5,
    )
    assert (pod.attributes["node"], pod.attributes["claims"], pod.attributes["owner"]) == (
        "node-b",
        ["cart-data"],
        "ReplicaSet/cart-5d9c7b8f6d",
    )
    assert init.attributes["init"] is True and init.attributes["exit_code"] == 0
    assert (scheduled.attributes["type"], backoff.attributes["count"], backoff.attributes["age_seconds"]) == (
        "Normal",
        25,
        30,
    )
    assert backoff.attributes["component"] == "kubelet" and backoff.attributes["message"].startswith(
        "Back-off restarting"
    )  # type: ignore[union-attr]


def test_a_containers_last_end_limits_environment_and_probes_are_told_and_the_reason_is_quoted() -> None:
    cart = read(DESCRIBED)[2]
    seen = cart.attributes
    assert (seen["last_reason"], seen["last_exit_code"], seen["oom_killed"], seen["reason"], seen["state"]) == (
        "OOMKilled",
        137,
        True,
        "CrashLoopBackOff",
        "waiting",
    )
    assert (seen["memory_limit"], seen["memory_request"], seen["cpu_limit"]) == (512 << 20, 128_000_000, 0.5)
    assert seen["env"] == ["DB_URL=postgres://db:5432/cart", "TOKEN=<secret cart-secrets/token>  Optional: false"]
    assert seen["command"] == ["java", "-Xmx900m", "-jar", "note: 1"] and seen["mounts"] == ["data:/data:rw"]
    assert cart.quote == "Reason:       OOMKilled" and seen["probes"] == [
        "Liveness: http-get http://:8080/live delay=5s timeout=1s period=10s #success=1 #failure=3"
    ]


def test_a_described_deployment_job_claim_and_node() -> None:
    deployment = only(
        "$ kubectl describe deploy web\nName:                   web\nNamespace:              shop\nSelector:               app=web\nReplicas:               3 desired | 3 updated | 3 total | 1 available | 2 unavailable\nStrategyType:           RollingUpdate\nPod Template:\n  Containers:\n   web:\n    Image:      shop/web:2\n    Environment:\n      MODE:  fast\nConditions:\n  Type           Status  Reason\n  ----           ------  ------\n  Available      False   MinimumReplicasUnavailable\nEvents:          <none>\n",
        "workload",
    )
    assert (
        deployment.attributes["desired"],
        deployment.attributes["ready_replicas"],
        deployment.attributes["unavailable"],
    ) == (3, 1, 2)
    assert (deployment.attributes["reason"], deployment.attributes["env"], deployment.attributes["image"]) == (
        "MinimumReplicasUnavailable",
        ["MODE=fast"],
        "shop/web:2",
    )
    job = only(
        "$ kubectl describe job load\nName:             load\nNamespace:        shop\nParallelism:      1\nCompletions:      1\nBackoff Limit:    0\nPods Statuses:    0 Active (0 Ready) / 0 Succeeded / 1 Failed\n",
        "workload",
    )
    assert (job.attributes["type"], job.attributes["failed"], job.attributes["backoff_limit"]) == ("Job", 1, 0)
    claim = only(
        "$ kubectl describe pvc data\nName:          data\nNamespace:     shop\nStorageClass:  fast\nStatus:        Pending\nUsed By:       web-0\n",
        "claim",
    )
    assert (claim.entity, claim.attributes["phase"], claim.attributes["used_by"]) == (
        "volume:data",
        "Pending",
        ["web-0"],
    )
    node = only(
        "$ kubectl describe node n1\nName:               n1\nTaints:             node.kubernetes.io/disk-pressure:NoSchedule\nUnschedulable:      false\nConditions:\n  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message\n  ----             ------  -----------------                 ------------------                ------                       -------\n  MemoryPressure   False   Mon, 02 Feb 2026 09:00:00 +0000   Mon, 02 Feb 2026 08:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available\n  DiskPressure     True    Mon, 02 Feb 2026 09:00:00 +0000   Mon, 02 Feb 2026 08:00:00 +0000   KubeletHasDiskPressure       kubelet has disk pressure\n  Ready            True    Mon, 02 Feb 2026 09:00:00 +0000   Mon, 02 Feb 2026 08:00:00 +0000   KubeletReady                 kubelet is posting ready status\nCapacity:\n  cpu:     4\n  memory:  16384Ki\nAllocatable:\n  cpu:     4\n",
        "node",
    )
    assert (
        node.attributes["ready"],
        node.attributes["disk_pressure"],
        node.attributes["reason"],
        node.attributes["memory"],
    ) == (True, True, "KubeletHasDiskPressure", 16384 << 10)


def test_get_tables_of_pods_deployments_claims_nodes_and_events() -> None:
    pods = read(
        "$ kubectl get pods -A\nNAMESPACE   NAME                   READY   STATUS             RESTARTS        AGE\nshop        web-7d4b9c6f5-abcde    1/1     Running            0               3d\nshop        job-x2x4z              0/1     Completed          0               1h\nshop        api-0                  0/1     ImagePullBackOff   12 (5m ago)     2h\n"
    )
    assert [
        (p.entity, p.attributes.get("ready"), p.attributes.get("reason"), p.attributes["restarts"]) for p in pods
    ] == [
        ("pod:web-7d4b9c6f5-abcde", True, None, 0),
        ("pod:job-x2x4z", False, None, 0),
        ("pod:api-0", False, "ImagePullBackOff", 12),
    ]
    assert pods[1].attributes["phase"] == "Succeeded" and pods[0].attributes["owner"] == "workload/web"
    deploy = only(
        "$ kubectl get deploy\nNAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    1/3     3            1           5d\n",
        "workload",
    )
    assert (deploy.attributes["desired"], deploy.attributes["ready_replicas"], deploy.attributes["unavailable"]) == (
        3,
        1,
        2,
    )
    claim = only(
        "$ kubectl get pvc\nNAME   STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\ndata   Pending                                      fast           7m\n",
        "claim",
    )
    assert (claim.attributes["phase"], claim.attributes["storage_class"], claim.attributes["age_seconds"]) == (
        "Pending",
        "fast",
        420,
    )
    node = only(
        "$ kubectl get nodes\nNAME   STATUS                     ROLES    AGE   VERSION\nn1     NotReady,SchedulingDisabled   <none>   9d    v1.31.0\n",
        "node",
    )
    assert node.attributes["ready"] is False and node.attributes["schedulable"] is False
    event = only(
        "$ kubectl get events\nLAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n2m5s        Warning   FailedScheduling   pod/api-0   0/3 nodes are available: 3 Insufficient memory.\n",
        "event",
    )
    assert (event.entity, event.attributes["reason"], event.attributes["age_seconds"]) == (
        "pod:api-0",
        "FailedScheduling",
        125,
    )


def test_rows_without_a_header_are_known_by_their_form() -> None:
    pod = only(
        '# kubectl_find_resource {"kind": "pod", "keyword": "web"}\nstdout:\nshop   web-7d4b9c6f5-abcde   0/1   CrashLoopBackOff   3 (8s ago)   2m   10.0.0.1   n1   <none>   <none>   app=web\n\nstderr:\n\n',
        "pod",
    )
    assert (pod.line, pod.attributes["namespace"], pod.attributes["restarts"], pod.attributes["labels"]) == (
        3,
        "shop",
        3,
        ["app=web"],
    )


def test_what_does_not_exist_is_a_fact_too() -> None:
    gone = only(
        '# kubectl_get_by_name {"kind": "sa", "name": "cart", "namespace": "shop"} status=error\nError from server (NotFound): serviceaccounts "cart" not found\n',
        "object",
    )
    assert (gone.entity, gone.attributes["exists"]) == ("user:cart", False)


def test_the_api_s_own_documents_tell_the_same_as_describe() -> None:
    pod = {
        "kind": "Pod",
        "metadata": {"name": "a-1", "namespace": "s", "ownerReferences": [{"kind": "Job", "name": "a"}]},
        "spec": {
            "nodeName": "n1",
            "serviceAccountName": "sa",
            "containers": [
                {
                    "name": "a",
                    "image": "i",
                    "resources": {"limits": {"memory": "1Gi"}},
                    "env": [
                        {"name": "K", "value": "v"},
                        {"name": "S", "valueFrom": {"secretKeyRef": {"name": "n", "key": "k"}}},
                    ],
                    "livenessProbe": {"httpGet": {"path": "/x", "port": 80}},
                }
            ],
        },
        "status": {
            "phase": "Running",
            "podIP": "10.0.0.1",
            "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
            "containerStatuses": [
                {
                    "name": "a",
                    "ready": False,
                    "restartCount": 2,
                    "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                    "lastState": {"terminated": {"reason": "Error", "exitCode": 1}},
                }
            ],
        },
    }
    found = read("$ kubectl get pods -o json\n" + json.dumps({"kind": "List", "items": [pod]}))
    seen_pod, seen = (fact.attributes for fact in found)
    assert (seen_pod["status"], seen_pod["ready"], seen_pod["restarts"], seen_pod["owner"]) == (
        "CrashLoopBackOff",
        False,
        2,
        "Job/a",
    )
    assert (seen["last_exit_code"], seen["memory_limit"], seen["env"]) == (1, 1 << 30, ["K=v", "S=<n/k>"])
    assert seen["probes"] == ["liveness: http-get :80/x delay=0s timeout=1s period=10s #failure=3"]


def test_yaml_of_several_objects_is_read() -> None:
    text = "$ kubectl get svc,sc -o yaml\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector: {app: web}\n  ports: [{port: 80, targetPort: 8080}]\n---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: slow}\nprovisioner: csi.example\n"
    service, storage = read(text)
    assert (service.entity, service.attributes["selector"], service.attributes["ports"]) == (
        "service:web",
        ["app=web"],
        ["80->8080/TCP"],
    )
    assert (storage.kind, storage.attributes["provisioner"]) == ("storage_class", "csi.example")


def test_a_lineage_tree_gives_owners_readiness_and_events() -> None:
    text = '# kubectl_lineage_children {"kind": "deployment", "name": "web", "namespace": "s"}\nNAME                        READY   STATUS                       AGE\nDeployment/web              0/1                                  9s\n└── ReplicaSet/web-6c8d       0/1                                  9s\n    └── Pod/web-6c8d-x2x4z    0/1     ContainerCreating            9s\n        └── Event/web.1       -       FailedMount: no such secret   9s\n'
    deployment, _, pod, event = read(text)
    assert (deployment.attributes["ready_replicas"], pod.attributes["owner"], pod.attributes["status"]) == (
        0,
        "ReplicaSet/web-6c8d",
        "ContainerCreating",
    )
    assert (event.entity, event.attributes["reason"], event.attributes["message"]) == (
        "pod:web-6c8d-x2x4z",
        "FailedMount",
        "no such secret",
    )


def test_top_tells_use() -> None:
    assert (
        only(
            "$ kubectl top pods\nNAME    CPU(cores)   MEMORY(bytes)\nweb-0   250m         900Mi\n", "container"
        ).attributes["memory_usage"]
        == 900 << 20
    )
