"""Whose text a source is."""

import pytest

from analysis.captures.subject import subject_of


@pytest.mark.parametrize(
    ("name", "head", "subject"),
    [
        (
            "artifacts/x/kubectl_logs.txt",
            '# fetch_pod_logs {"pod_name": "pay-1", "namespace": "shop"}\nline',
            "pod:pay-1",
        ),
        ("artifacts/x/kubectl_logs.txt", '# fetch_pod_logs {"pod_name": "*", "namespace": "shop"}\n', ""),
        ("artifacts/a.txt", "$ docker logs --tail 50 web\nline", "container:web"),
        ("artifacts/a.txt", "$ kubectl logs -n shop deploy/cart\n", "service:cart"),
        ("artifacts/a.txt", "$ kubectl logs cart-0 -c app\n", "container:app"),
        ("logs/pods/pay-7f9dd8b6c4-k2m4p.log", "", "pod:pay-7f9dd8b6c4-k2m4p"),
        ("logs/pay-7f9dd8b6c4-k2m4p.log.gz", "", "pod:pay-7f9dd8b6c4-k2m4p"),
        ("artifacts/kubectl_previous_logs_get-data-mldtn_default.txt", "", "pod:get-data-mldtn"),
        ("logs/web.log", "plain line", ""),
        ("logs/web-1.log", "", ""),
    ],
)
def test_a_text_is_of_whom_its_top_or_its_path_names(name: str, head: str, subject: str) -> None:
    assert subject_of(name, head) == subject
