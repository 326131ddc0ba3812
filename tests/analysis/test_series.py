"""What the name of a metric says, and counters."""

import numpy as np
import pytest

from analysis.measured.series import Samples, as_rate, bad_direction, is_counter, kind


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("http_server_duration_p99_ms", "latency"),
        ("istio_request_duration_milliseconds", "latency"),
        ("latency_avg", "latency"),
        ("http_5xx_per_sec", "error"),
        ("availability_avg", "error"),
        ("HTTPCode_Target_5XX_Count", "error"),
        ("CPUUtilization", "cpu"),
        ("container_cpu_usage_seconds_total", "cpu"),
        ("container_memory_working_set_bytes", "memory"),
        ("FreeableMemory", "memory"),
        ("ReadLatency", "disk"),
        ("WriteIOPS", "disk"),
        ("FreeStorageSpace", "disk"),
        ("node_filesystem_avail_bytes", "disk"),
        ("DatabaseConnections", "saturation"),
        ("request_queue_depth", "saturation"),
        ("ReplicaLag", "saturation"),
        ("container_network_receive_bytes_total", "network"),
        ("NetworkReceiveThroughput", "network"),
        ("requests_per_sec", "traffic"),
        ("temperature", "other"),
    ],
)
def test_the_kind_of_a_metric_is_read_from_its_name(metric: str, expected: str) -> None:
    assert kind(metric) == expected


def test_less_is_bad_for_what_is_left_and_for_what_goes_well() -> None:
    assert [bad_direction(metric) for metric in ("availability_avg", "FreeStorageSpace", "up", "cpu_pct")] == [
        -1,
        -1,
        -1,
        1,
    ]


def test_a_counter_is_read_as_a_rate_and_a_reset_counts_from_zero() -> None:
    counter = Samples("web", "requests_total", np.arange(6) * 10.0, np.array([0.0, 100, 200, 300, 5, 105]))
    assert is_counter(counter.metric, counter.values)
    assert as_rate(counter).values.tolist() == [10, 10, 10, 0.5, 10]


def test_what_the_kernel_counts_is_a_counter_whatever_its_name_ends_in() -> None:
    assert is_counter("node_netstat_Tcp_RetransSegs", np.array([1.0] * 19 + [4.0]))
    assert not is_counter("node_netstat_Tcp_CurrEstab", np.arange(20.0))


def test_a_gauge_that_grows_is_no_counter() -> None:
    assert not is_counter("memory_bytes", np.arange(20.0))
    assert not is_counter("requests_sum", np.array([3.0, 9, 4, 7, 2, 8]))


def test_labels_do_not_tell_what_a_metric_measures() -> None:
    assert kind('node_filesystem_readonly{mountpoint="/var/spool/uploads"}') == "other"
    assert kind('node_filesystem_avail_bytes{mountpoint="/srv/pool"}') == "disk"
    assert bad_direction('errors{path="/free"}') == 1
