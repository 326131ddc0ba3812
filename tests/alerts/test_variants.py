"""The forms in which senders tell of one thing: who reads each, how many alerts it gives, their state and name.

The bodies are our own, after the senders' documentation.
"""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from alerts import GENERIC, receive, receivers

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
AT = "2026-06-01T11:50:00Z"
Row = tuple[str, str, Any, int, str, str]


def sns(message: Any, **more: str) -> dict[str, Any]:
    return {"Type": "Notification", "MessageId": "m1", "TopicArn": "arn:aws:sns:eu-west-1:1:ops", "Timestamp": AT,
            "Message": message if isinstance(message, str) else json.dumps(message), **more}  # fmt: skip


def alarm(state: str = "ALARM", **more: Any) -> dict[str, Any]:
    return {"AlarmName": "queue-depth", "AlarmDescription": None, "NewStateValue": state, "OldStateValue": "OK",
            "NewStateReason": "Threshold crossed", "StateChangeTime": "2026-06-01T11:50:00.123+0000",
            "AlarmArn": "arn:aws:cloudwatch:eu-west-1:1:alarm:queue-depth", **more}  # fmt: skip


CLOUDWATCH: list[Row] = [
    ("sns-alarm", "cloudwatch", sns(alarm(), Subject='ALARM: "queue-depth"'), 1, "firing", "queue-depth"),
    ("sns-ok", "cloudwatch", sns(alarm("OK")), 1, "resolved", "queue-depth"),
    ("composite", "cloudwatch", sns(alarm(AlarmRule="ALARM(a) OR ALARM(b)")), 1, "firing", "queue-depth"),
    ("bare", "cloudwatch", alarm("OK"), 1, "resolved", "queue-depth"),
    ("eventbridge", "cloudwatch", {
        "version": "0", "id": "e", "detail-type": "CloudWatch Alarm State Change", "source": "aws.cloudwatch",
        "time": AT, "region": "eu-west-1", "resources": ["arn:aws:cloudwatch:eu-west-1:1:alarm:cpu"],
        "detail": {"alarmName": "cpu", "state": {"value": "OK", "reason": "r", "timestamp": AT},
                   "configuration": {"description": "d", "metrics": [{"metricStat": {"metric": {
                       "namespace": "AWS/EC2", "name": "CPU", "dimensions": {"InstanceId": "i-1"}}}}]}}},
     1, "resolved", "cpu"),
    ("rds-event", "cloudwatch", sns({"Event Source": "db-instance", "Event Time": "2026-06-01 11:50:00.000",
                                     "Source ID": "orders-db", "Event Message": "DB instance shutdown"}),
     1, "firing", "DB instance shutdown"),
    ("plain-text", "cloudwatch", sns("disk of web-1 is full\nsee the wiki", Subject="Disk full"), 1, "firing",
     "Disk full"),
    ("unsubscribed", "cloudwatch", {"Type": "UnsubscribeConfirmation", "TopicArn": "arn:x", "Message": "You chose"},
     0, "", ""),
]  # fmt: skip


def azure(**essentials: Any) -> dict[str, Any]:
    told = {"alertId": "/subscriptions/s/providers/Microsoft.AlertsManagement/alerts/a", "alertRule": "disk-rule",
            "severity": "Sev1", "signalType": "Metric", "monitorCondition": "Fired", "monitoringService": "Platform",
            "alertTargetIDs": ["/subscriptions/s/resourcegroups/g/providers/microsoft.compute/virtualmachines/vm-7"],
            "firedDateTime": AT, "description": "", **essentials}  # fmt: skip
    return {"schemaId": "azureMonitorCommonAlertSchema", "data": {"essentials": told, "alertContext": {}}}


def activity(status: str = "Active", **properties: str) -> dict[str, Any]:
    log = {"eventSource": "ServiceHealth", "eventTimestamp": AT, "level": "Informational", "status": status,
           "operationName": "Microsoft.ServiceHealth/incident/action", "subscriptionId": "s", "correlationId": "c",
           "properties": properties}  # fmt: skip
    return {"schemaId": "Microsoft.Insights/activityLogs", "data": {"status": "Activated",
            "context": {"activityLog": log}, "properties": {}}}  # fmt: skip


LOG_ALERT = {"SubscriptionId": "s", "AlertRuleName": "errors in log", "SearchQuery": "AppExceptions | count",
             "SearchIntervalEndtimeUtc": AT, "AlertThresholdValue": 0, "ResultCount": 4, "Severity": "1",
             "ResourceId": "/subscriptions/s/providers/microsoft.insights/components/shop"}  # fmt: skip
AZURE: list[Row] = [
    ("metric", "azuremonitor", azure(), 1, "firing", "disk-rule"),
    ("resolved", "azuremonitor", azure(monitorCondition="Resolved", resolvedDateTime=AT), 1, "resolved", "disk-rule"),
    ("log-v2", "azuremonitor", azure(signalType="Log", monitoringService="Log Alerts V2"), 1, "firing", "disk-rule"),
    ("smart-detector", "azuremonitor", azure(monitoringService="SmartDetector", alertRule="Failure Anomalies - shop"),
     1, "firing", "Failure Anomalies - shop"),
    ("prometheus", "azuremonitor", azure(monitoringService="Prometheus", severity="Sev4"), 1, "firing", "disk-rule"),
    ("log-v1", "azuremonitor", {"schemaId": "Microsoft.Insights/LogAlert", "data": LOG_ALERT}, 1, "firing",
     "errors in log"),
    ("log-oldest", "azuremonitor", LOG_ALERT, 1, "firing", "errors in log"),
    ("service-health", "azuremonitor", activity(title="Storage in West Europe", stage="Active"), 1, "firing",
     "Storage in West Europe"),
    ("service-well", "azuremonitor", activity("Resolved", title="Storage in West Europe", stage="Resolved"), 1,
     "resolved", "Storage in West Europe"),
    ("resource-health", "azuremonitor", activity(title="vm-7", currentHealthStatus="Unavailable"), 1, "firing", "vm-7"),
    ("resource-well", "azuremonitor", activity(title="vm-7", currentHealthStatus="Available"), 1, "resolved", "vm-7"),
    ("administrative", "azuremonitor", activity("Succeeded"), 1, "firing", "Microsoft.ServiceHealth/incident/action"),
    ("budget", "azuremonitor", {"schemaId": "AIP Budget Notification", "data": {
        "SubscriptionId": "s", "BudgetName": "team-budget", "SpentAmount": "100"}}, 1, "firing", "team-budget"),
    ("web-test", "azuremonitor", {"status": "Deactivated", "context": {
        "timestamp": AT, "id": "/x", "name": "shop-ping", "subscriptionId": "s", "condition": {"webTestName": "w"}}},
     1, "resolved", "shop-ping"),
]  # fmt: skip


def google(state: str = "open", **more: Any) -> dict[str, Any]:
    return {"version": "1.2", "incident": {
        "incident_id": "0.abc", "scoping_project_id": "shop", "url": "https://x", "resource_id": "i-1",
        "resource": {"type": "gce_instance", "labels": {"instance_id": "i-1", "zone": "z"}}, "state": state,
        "started_at": 1780314600, "ended_at": None if state == "open" else 1780315000, "policy_name": "VM health",
        "condition_name": "CPU load", "condition": {"name": "projects/x", "displayName": "CPU load"},
        "summary": "CPU load for i-1 is above 0.8", **more}}  # fmt: skip


GCP: list[Row] = [
    ("open", "gcp", google(), 1, "firing", "CPU load"),
    ("closed", "gcp", google("closed"), 1, "resolved", "CPU load"),
    ("upper", "gcp", google("CLOSED"), 1, "resolved", "CPU load"),
    ("test", "gcp", {"version": "test", "incident": {"incident_id": "", "scoping_project_id": "shop", "state": "open",
     "started_at": 0, "policy_name": "Test", "condition_name": "Test condition", "summary": "Test Incident"}},
     1, "firing", "Test condition"),
    ("no-policy", "gcp", {"incident": {"incident_id": "1", "resource_id": "r", "state": "open",
     "summary": "Uptime of a"}},
     1, "firing", "Uptime of a"),
    ("pubsub", "gcp", {"message": {"data": base64.b64encode(json.dumps(google("closed")).encode()).decode(),
                                   "messageId": "1"}, "subscription": "projects/x/subscriptions/y"},
     1, "resolved", "CPU load"),
]  # fmt: skip


def pager(kind: str, **data: Any) -> dict[str, Any]:
    told = {"id": "Q1", "type": "incident", "number": 7, "status": "triggered", "title": "Checkout is down",
            "created_at": AT, "urgency": "high", "service": {"id": "S", "summary": "checkout"}, **data}  # fmt: skip
    return {"event": {"id": "e", "event_type": kind, "resource_type": "incident", "occurred_at": AT, "data": told}}


def message(kind: str, status: str) -> dict[str, Any]:
    return {"messages": [{"event": kind, "log_entries": [], "incident": {
        "id": "Q1", "incident_number": 7, "title": "Checkout is down", "status": status, "created_at": AT,
        "service": {"name": "checkout"}, "urgency": "low"}}]}  # fmt: skip


PAGERDUTY: list[Row] = [
    *((kind, "pagerduty", pager(f"incident.{kind}"), 1, "firing", "Checkout is down")
      for kind in ("triggered", "acknowledged", "unacknowledged", "escalated", "reassigned", "delegated", "reopened",
                   "priority_updated")),
    ("resolved", "pagerduty", pager("incident.resolved", status="resolved"), 1, "resolved", "Checkout is down"),
    ("note", "pagerduty", pager("incident.annotated", type="incident_note", content="looking"), 0, "", ""),
    ("ping", "pagerduty", pager("pagey.ping", type="ping", message="Hello from your friend Pagey!"), 0, "", ""),
    ("service", "pagerduty", pager("service.updated", type="service"), 0, "", ""),
    ("v2-trigger", "pagerduty", message("incident.trigger", "triggered"), 1, "firing", "Checkout is down"),
    ("v2-ack", "pagerduty", message("incident.acknowledge", "acknowledged"), 1, "firing", "Checkout is down"),
    ("v2-resolve", "pagerduty", message("incident.resolve", "resolved"), 1, "resolved", "Checkout is down"),
    ("rest-wrapped", "pagerduty", {"incident": {"id": "Q1", "incident_number": 7, "incident_key": "k",
     "title": "Checkout is down", "status": "resolved"}}, 1, "resolved", "Checkout is down"),
    ("events-v2", "pagerduty", {"routing_key": "r", "event_action": "trigger", "dedup_key": "d", "payload": {
        "summary": "disk of db-1 is full", "source": "db-1", "severity": "critical", "timestamp": AT}},
     1, "firing", "disk of db-1 is full"),
    ("events-v2-end", "pagerduty", {"routing_key": "r", "event_action": "resolve", "dedup_key": "disk/db-1"}, 1,
     "resolved", "disk/db-1"),
    ("events-v1", "pagerduty", {"service_key": "s", "event_type": "trigger", "incident_key": "k",
     "description": "HTTP of shop fails", "details": {"host": "shop-1"}}, 1, "firing", "HTTP of shop fails"),
]  # fmt: skip


def sentry(action: str, **data: Any) -> dict[str, Any]:
    return {"action": action, "installation": {"uuid": "u"}, "actor": {"type": "application", "name": "Sentry"},
            "data": data}  # fmt: skip


ISSUE = {"id": "9", "title": "KeyError: 'cart'", "status": "unresolved", "level": "error", "firstSeen": AT,
         "project": {"slug": "shop"}, "metadata": {"type": "KeyError", "value": "'cart'"}}  # fmt: skip
METRIC = {"id": "3", "status": 20, "date_started": AT, "alert_rule": {"name": "Too many errors", "projects": ["shop"]}}
SENTRY: list[Row] = [
    ("created", "sentry", sentry("created", issue=ISSUE), 1, "firing", "KeyError: 'cart'"),
    ("resolved", "sentry", sentry("resolved", issue=ISSUE | {"status": "resolved"}), 1, "resolved", "KeyError: 'cart'"),
    ("resolved-late", "sentry", sentry("resolved", issue=ISSUE), 1, "resolved", "KeyError: 'cart'"),
    ("assigned", "sentry", sentry("assigned", issue=ISSUE), 1, "firing", "KeyError: 'cart'"),
    ("event-alert", "sentry", sentry("triggered", triggered_rule="r", event={
        "event_id": "e", "title": "ReferenceError: x", "level": "error", "datetime": AT, "issue_id": "9"}),
     1, "firing", "ReferenceError: x"),
    ("metric-critical", "sentry", sentry("critical", metric_alert=METRIC,
     description_title="Critical: Too many errors"),
     1, "firing", "Too many errors"),
    ("metric-resolved", "sentry", sentry("resolved", metric_alert=METRIC,
     description_title="Resolved: Too many errors"),
     1, "resolved", "Too many errors"),
    ("error", "sentry", sentry("created", error={"title": "TypeError", "issue_id": "9", "level": "fatal"}), 1, "firing",
     "TypeError"),
    ("installation", "sentry", sentry("created", installation={"uuid": "u", "app": {"slug": "fb"}}), 0, "", ""),
    ("comment", "sentry", sentry("created", comment="fixed soon", issue_id=9), 0, "", ""),
    ("legacy", "sentry", {"project": "shop", "project_name": "shop", "culprit": "a in b", "level": "warning", "id": "9",
     "message": "KeyError", "url": "https://x", "event": {"title": "KeyError: 'cart'", "received": 1780314600.5}},
     1, "firing", "KeyError: 'cart'"),
]  # fmt: skip


def relic(**more: Any) -> dict[str, Any]:
    return {"id": "i", "issueUrl": "https://x", "title": "CPU of web-1 > 90", "priority": "CRITICAL",
     "totalIncidents": 1,
            "state": "ACTIVATED", "trigger": "STATE_CHANGE", "createdAt": 1780314600000, "impactedEntities": ["web-1"],
            "alertPolicyNames": ["Golden"], "alertConditionNames": ["CPU high"], "workflowName": "w",
             **more}  # fmt: skip


LEGACY = {"account_name": "shop", "condition_name": "Apdex low", "current_state": "open", "severity": "CRITICAL",
          "details": "d", "incident_id": 5, "policy_name": "web", "timestamp": 1780314600000,
          "targets": [{"name": "web-1", "type": "Host"}]}  # fmt: skip
NEWRELIC: list[Row] = [
    ("activated", "newrelic", relic(), 1, "firing", "CPU high"),
    ("created", "newrelic", relic(state="CREATED"), 1, "firing", "CPU high"),
    ("closed", "newrelic", relic(state="CLOSED", closedAt=1780315000000), 1, "resolved", "CPU high"),
    ("no-condition", "newrelic", relic(alertConditionNames=[]), 1, "firing", "CPU of web-1 > 90"),
    ("issue-page", "newrelic", {"issueId": "i", "issuePageUrl": "https://x", "issueTitle": "CPU of web-1",
     "priority": "HIGH", "state": "CLOSED"}, 1, "resolved", "CPU of web-1"),
    ("legacy-open", "newrelic", LEGACY, 1, "firing", "Apdex low"),
    ("legacy-ack", "newrelic", LEGACY | {"current_state": "acknowledged"}, 1, "firing", "Apdex low"),
    ("legacy-closed", "newrelic", LEGACY | {"current_state": "closed"}, 1, "resolved", "Apdex low"),
]  # fmt: skip


def genie(action: str, **more: Any) -> dict[str, Any]:
    return {"action": action, "integrationId": "x", "integrationName": "Webhook", "source": {"name": "", "type": "web"},
            "alert": {"alertId": "a", "message": "API is slow", "tinyId": "5", "alias": "k", "priority": "P2",
                      "entity": "api-1", "createdAt": 1780314600000, "updatedAt": 1780314600000000000,
                       **more}}  # fmt: skip


OPSGENIE: list[Row] = [
    *((action, "opsgenie", genie(action), 1, "firing", "API is slow")
      for action in ("Create", "Acknowledge", "UnAcknowledge", "AddNote", "AssignOwnership", "EscalateNext")),
    ("close", "opsgenie", genie("Close"), 1, "resolved", "API is slow"),
    ("delete", "opsgenie", genie("Delete"), 1, "resolved", "API is slow"),
]  # fmt: skip


def kuma(status: int, **more: Any) -> dict[str, Any]:
    return {"heartbeat": {"status": status, "time": "2026-06-01 11:50:00", "msg": "x"}, "msg": "[Shop] x",
            "monitor": {"id": 4, "name": "Shop", "url": "https://shop.example", "type": "http"}, **more}  # fmt: skip


KUMA: list[Row] = [
    ("down", "uptime-kuma", kuma(0), 1, "firing", "Shop"),
    ("up", "uptime-kuma", kuma(1), 1, "resolved", "Shop"),
    ("pending", "uptime-kuma", kuma(2), 1, "firing", "Shop"),
    ("maintenance", "uptime-kuma", kuma(3), 1, "resolved", "Shop"),
    ("certificate", "uptime-kuma", {"heartbeat": None, "monitor": None,
     "msg": "[Shop][https://shop.example] server certificate shop.example will be expired in 7 days"},
     1, "firing", "Shop"),
    ("test", "uptime-kuma", {"heartbeat": None, "monitor": None, "msg": "My hook Testing"}, 0, "", ""),
]  # fmt: skip
DATADOG: list[Row] = [
    ("default", "datadog", {"id": "1", "last_updated": "1780314600000", "event_type": "query_alert_monitor",
     "title": "[Triggered on {host:web-1}] CPU is high", "date": "1780314600000", "org": {"id": "1", "name": "shop"},
     "body": "cpu > 90"}, 1, "firing", "[Triggered on {host:web-1}] CPU is high"),
    ("default-over", "datadog", {"id": "1", "last_updated": "1780314600000", "event_type": "query_alert_monitor",
     "title": "[Recovered on {host:web-1}] CPU is high", "date": "1780314600000", "org": {"id": "1"}, "body": "b"},
     1, "resolved", "[Recovered on {host:web-1}] CPU is high"),
    ("own-template", "datadog", {"alert_id": "7", "alert_title": "CPU is high", "alert_transition": "Recovered",
     "alert_scope": "host:web-1"}, 1, "resolved", "CPU is high"),
    ("warn", "datadog", {"alert_id": "7", "event_title": "CPU is high", "alert_transition": "Warn",
     "event_msg": "m"}, 1, "firing", "CPU is high"),
    ("no-data", "datadog", {"title": "CPU is high", "alert_transition": "No Data", "link": "x",
     "url": "https://app.datadoghq.eu/event/1"}, 1, "firing", "CPU is high"),
]  # fmt: skip
ZABBIX: list[Row] = [
    ("problem", "zabbix", {"event_id": "5", "event_name": "Disk space is low", "event_severity": "High",
     "event_value": "1",
     "event_status": "PROBLEM", "host_name": "db-1", "trigger_id": "9"}, 1, "firing", "Disk space is low"),
    ("resolved", "zabbix", {"event_id": "5", "event_name": "Disk space is low", "event_severity": "High",
     "event_value": "0", "event_status": "RESOLVED", "host_name": "db-1"}, 1, "resolved", "Disk space is low"),
    ("value-only", "zabbix", {"eventid": "5", "trigger": "Ping fails", "host": "db-1", "event_value": "0"}, 1,
     "resolved",
     "Ping fails"),
    ("macros", "zabbix", {"EVENT.NAME": "Ping fails", "HOST.NAME": "db-1", "TRIGGER.STATUS": "OK",
     "TRIGGER.SEVERITY": "Disaster"}, 1, "resolved", "Ping fails"),
    ("subject", "zabbix", {"subject": "Resolved in 5m: Ping fails", "trigger_name": "Ping fails", "hostname": "db-1",
     "severity": "Warning"}, 1, "resolved", "Ping fails"),
]  # fmt: skip


def prometheus(**more: Any) -> dict[str, Any]:
    return {"labels": {"alertname": "DiskFull", "instance": "db-1:9100"}, "annotations": {"summary": "s"},
            "startsAt": AT, "generatorURL": "http://vmalert:8880/x", **more}  # fmt: skip


ALERTMANAGER: list[Row] = [
    ("to-alertmanager", "alertmanager", [prometheus(endsAt="2026-06-01T12:04:00Z"), prometheus()], 2, "firing",
     "DiskFull"),
    ("to-alertmanager-end", "alertmanager", [prometheus(endsAt="2026-06-01T11:55:00Z")], 1, "resolved", "DiskFull"),
    ("api-v2", "alertmanager", [prometheus(endsAt="2026-06-01T11:55:00Z", fingerprint="f", updatedAt=AT, status={
        "state": "active", "silencedBy": [], "inhibitedBy": []})], 1, "firing", "DiskFull"),
    ("rules-api", "alertmanager", {"status": "success", "data": {"alerts": [{
        "labels": {"alertname": "DiskFull"}, "annotations": {}, "state": "firing", "activeAt": AT, "value": "1e+00"}]}},
     1, "firing", "DiskFull"),
    ("zero-end", "alertmanager", {"version": "4", "status": "firing", "alerts": [prometheus(
        status="firing", endsAt="0001-01-01T00:00:00Z")]}, 1, "firing", "DiskFull"),
]  # fmt: skip
GRAFANA: list[Row] = [
    ("unified", "grafana", {"receiver": "w", "status": "resolved", "orgId": 1, "version": "1", "title": "[RESOLVED] x",
     "state": "ok", "alerts": [prometheus(status="resolved", endsAt=AT)]}, 1, "resolved", "DiskFull"),
    *((f"legacy-{state}", "grafana", {"ruleId": 1, "ruleName": "Load", "ruleUrl": "u", "state": state,
      "title": f"[{state}] Load", "evalMatches": []}, 1, wanted, "Load")
      for state, wanted in (("alerting", "firing"), ("ok", "resolved"), ("no_data", "firing"), ("pending", "firing"))),
]  # fmt: skip
NAMED: list[Row] = [*CLOUDWATCH, *AZURE, *GCP, *PAGERDUTY, *SENTRY, *NEWRELIC, *OPSGENIE, *KUMA, *DATADOG, *ZABBIX,
                    *ALERTMANAGER, *GRAFANA]  # fmt: skip


@pytest.mark.parametrize("row", NAMED, ids=[f"{row[1]}-{row[0]}" for row in NAMED])
def test_a_sender_s_form_is_read_by_its_receiver(row: Row) -> None:
    _, sender, body, count, status, name = row
    got = receive(body, NOW)
    knowing = [r.name for r in receivers() if r.name != GENERIC and r.knows(body)]
    assert (got.source, len(got.alerts)) == (sender, count), got
    assert {alert.status.value for alert in got.alerts} <= {status}, got
    assert {alert.name for alert in got.alerts} <= {name}, got
    assert knowing in ([sender], []), knowing  # nobody else claims it
