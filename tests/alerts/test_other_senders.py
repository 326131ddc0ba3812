"""Senders without a file of their own: the generic receiver finds name, state, severity, thing and start by itself.

The bodies are our own, after the senders' documentation.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from alerts import receive
from alerts.entities import entities
from alerts.words import state_of

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
AT = "2026-06-01T11:50:00Z"
STARTED = datetime(2026, 6, 1, 11, 50, tzinfo=UTC)


class Row(NamedTuple):
    id: str
    body: Any
    status: str
    names: str  # any of these, with bars between
    severity: str = ""  # empty: not looked at
    entity: str = ""
    starts: bool = False


ROWS = [
    Row("splunk", {"sid": "s", "search_name": "Too many 500", "app": "search", "owner": "a", "results_link": "u",
                   "result": {"host": "web-1", "count": "9"}}, "firing", "Too many 500", entity="host:web-1"),
    Row("splunk-oncall", {"ALERT": {"message_type": "CRITICAL", "entity_id": "disk/db-1",
     "entity_display_name": "Disk"},
                          "STATE": {"CURRENT_ALERT_PHASE": "UNACKED"}, "INCIDENT": {"INCIDENT_ID": "1"}}, "firing",
        "Disk", "critical"),
    Row("splunk-oncall-end", {"ALERT": {"message_type": "RECOVERY", "entity_id": "d", "entity_display_name": "Disk"},
                              "STATE": {"CURRENT_ALERT_PHASE": "RESOLVED"}}, "resolved", "Disk"),
    Row("victorops-in", {"message_type": "RECOVERY", "entity_id": "disk/db-1", "entity_display_name": "Disk of db-1",
                         "state_message": "all good", "state_start_time": 1780314600}, "resolved", "Disk of db-1",
        starts=True),
    Row("dynatrace", {"PID": "1", "ProblemID": "P-1", "ProblemTitle": "High failure rate", "State": "OPEN",
                      "ProblemSeverity": "ERROR", "ImpactedEntity": "payment", "ProblemURL": "u", "Tags": "a"},
        "firing", "High failure rate", "error"),
    Row("dynatrace-end", {"ProblemID": "P-1", "ProblemTitle": "High failure rate", "State": "RESOLVED"}, "resolved",
        "High failure rate"),
    Row("kibana", {"rule": {"id": "r", "name": "Heap is high"}, "alert": {"id": "a"}, "date": AT, "context": {
        "reason": "heap 95 %"}, "alertActionGroupName": "Active"}, "firing", "Heap is high", starts=True),
    Row("kibana-end", {"rule_name": "Heap is high", "alert_id": "a", "status": "recovered", "date": AT}, "resolved",
        "Heap is high"),
    Row("nagios", {"NOTIFICATIONTYPE": "PROBLEM", "HOSTNAME": "db-1", "SERVICEDESC": "Disk /",
     "SERVICESTATE": "CRITICAL",
                   "SERVICEOUTPUT": "DISK CRITICAL"}, "firing", "Disk /", "critical", "host:db-1"),
    Row("nagios-end", {"notification_type": "RECOVERY", "host_name": "db-1", "service_description": "Disk /",
                       "service_state": "OK"}, "resolved", "Disk /", entity="host:db-1"),
    Row("icinga-host", {"notification_type": "PROBLEM", "host_name": "db-1", "host_state": "DOWN", "host_output": "x"},
        "firing", "db-1", entity="host:db-1"),
    Row("healthchecks", {"name": "nightly backup", "status": "down", "code": "c", "now": AT}, "firing",
     "nightly backup",
        starts=True),
    Row("healthchecks-up", {"name": "nightly backup", "status": "up"}, "resolved", "nightly backup"),
    Row("statuspage", {"page": {"id": "p", "status_indicator": "major"}, "incident": {"name": "API errors", "id": "i",
        "status": "investigating", "impact": "critical", "created_at": AT}}, "firing", "API errors", "critical"),
    Row("statuspage-end", {"page": {"id": "p"}, "incident": {"name": "API errors", "status": "resolved",
     "impact": "minor",
        "resolved_at": AT}}, "resolved", "API errors"),
    Row("statuspage-part", {"page": {"id": "p"}, "component_update": {"new_status": "operational", "old_status":
        "major_outage"}, "component": {"name": "API", "status": "operational"}}, "resolved", "API"),
    Row("better-stack", {"data": {"id": "1", "type": "incident", "attributes": {"name": "shop.example", "cause": "502",
        "started_at": AT, "resolved_at": None, "status": "Started"}}}, "firing", "shop.example", starts=True),
    Row("better-stack-end", {"data": {"id": "1", "type": "incident", "attributes": {"name": "shop.example",
        "started_at": AT, "resolved_at": AT, "status": "Resolved"}}}, "resolved", "shop.example"),
    Row("netdata", {"message": "ram is 95 %", "alert": "ram_in_use", "chart": "system.ram", "severity": "critical",
                    "host": "db-1", "date": AT}, "firing", "ram_in_use", "critical", "host:db-1", starts=True),
    Row("netdata-end", {"alert": "ram_in_use", "chart": "system.ram", "severity": "clear", "host": "db-1"}, "resolved",
        "ram_in_use"),
    Row("graylog", {"event_definition_id": "e", "event_definition_title": "Login errors", "event": {"id": "1",
        "message": "Login errors: 9", "timestamp": AT, "priority": 3, "alert": True, "source": "g-1"}, "backlog": []},
        "firing", "Login errors", starts=True),
    Row("librenms", {"title": "Alert for device sw-1 - Port down", "hostname": "sw-1", "severity": "critical",
                     "state": 1, "name": "Port down", "timestamp": AT}, "firing",
        "Port down|Alert for device sw-1 - Port down", "critical", "host:sw-1"),
    Row("github", {"action": "completed", "workflow_run": {"name": "CI", "conclusion": "failure",
     "status": "completed"},
                   "repository": {"name": "shop"}}, "firing", "CI"),
    Row("github-well", {"action": "completed", "workflow_run": {"name": "CI", "conclusion": "success",
        "status": "completed"}, "repository": {"name": "shop"}}, "resolved", "CI"),
    Row("jira", {"webhookEvent": "jira:issue_created", "issue": {"key": "OPS-1", "fields": {"summary": "Disk of db-1",
        "status": {"name": "Open"}, "priority": {"name": "High"}}}}, "firing", "Disk of db-1", "error"),
    Row("jira-end", {"webhookEvent": "jira:issue_updated", "issue": {"key": "OPS-1",
     "fields": {"summary": "Disk of db-1",
        "status": {"name": "Closed"}}}}, "resolved", "Disk of db-1"),
    Row("servicenow", {"number": "INC1", "short_description": "Mail is slow", "state": "In Progress", "urgency": "High",
                       "opened_at": "2026-06-01 11:50:00"}, "firing", "Mail is slow", "error", starts=True),
    Row("rollbar", {"event_name": "new_item", "data": {"item": {"id": 1, "title": "KeyError: x", "level": "error",
        "environment": "prod"}}}, "firing", "KeyError: x", "error"),
    Row("rollbar-end", {"event_name": "resolved_item", "data": {"item": {"id": 1, "title": "KeyError: x",
        "status": "resolved"}}}, "resolved", "KeyError: x"),
    Row("honeybadger", {"event": "occurred", "message": "[Shop/prod] RuntimeError oops", "fault": {"id": 1,
        "klass": "RuntimeError", "message": "oops", "resolved": False}}, "firing", "[Shop/prod] RuntimeError oops"),
    Row("honeybadger-end", {"event": "resolved", "message": "[Shop/prod] RuntimeError resolved by a", "fault": {
        "klass": "RuntimeError", "resolved": True}}, "resolved", "[Shop/prod] RuntimeError resolved by a"),
    Row("bugsnag", {"account": {"name": "a"}, "project": {"name": "shop"}, "trigger": {"type": "firstException",
        "message": "New error"}, "error": {"exceptionClass": "KeyError", "message": "x", "severity": "error",
        "status": "open"}}, "firing", "KeyError|New error", "error"),
    Row("appdynamics", {"id": "1", "name": "Health rule CPU", "eventType": "POLICY_OPEN_CRITICAL", "severity": "ERROR"},
        "firing", "Health rule CPU", "error"),
    Row("appdynamics-end", {"id": "1", "name": "Health rule CPU", "eventType": "POLICY_CLOSE_CRITICAL",
                            "severity": "INFO"}, "resolved", "Health rule CPU"),
    Row("site24x7", {"MONITORNAME": "shop", "STATUS": "DOWN", "INCIDENT_REASON": "timeout", "MONITORURL": "u"},
     "firing",
        "shop"),
    Row("site24x7-up", {"MONITORNAME": "shop", "STATUS": "UP"}, "resolved", "shop"),
    Row("statuscake", {"Name": "shop", "Status": "Down", "StatusCode": "500", "URL": "https://shop.example"}, "firing",
        "shop"),
    Row("statuscake-up", {"Name": "shop", "Status": "Up", "StatusCode": "200"}, "resolved", "shop"),
    Row("pingdom", {"check_id": 1, "check_name": "shop", "previous_state": "UP", "current_state": "DOWN",
                    "importance_level": "HIGH", "state_changed_timestamp": 1780314600}, "firing", "shop", "error",
        starts=True),
    Row("uptimerobot", {"monitorFriendlyName": "shop", "alertType": "2", "alertTypeFriendlyName": "Up",
                        "alertDetails": "OK (200)"}, "resolved", "shop"),
    Row("cronitor", {"id": "x", "monitor": "nightly backup", "type": "RECOVERY", "rule": "r"}, "resolved",
        "nightly backup"),
    Row("gatus", {"name": "core/api", "status": "TRIGGERED", "description": "health check failed"}, "firing",
     "core/api"),
    Row("zenduty", {"payload": {"event_type": "resolved", "incident": {"title": "API is slow", "incident_number": 3}}},
        "resolved", "API is slow"),
    Row("prtg", {"sensorid": "7", "device": "sw-1", "sensor": "Ping", "status": "Down", "message": "timeout",
                 "datetime": "2026-06-01 11:50:00"}, "firing", "Ping", starts=True),
    Row("prtg-up", {"sensorid": "7", "device": "sw-1", "sensor": "Ping", "status": "Down ended (now: Up)"}, "resolved",
        "Ping"),
    Row("solarwinds", {"AlertName": "High CPU", "NodeName": "sw-1", "Severity": "Critical", "Status": "Active"},
     "firing",
        "High CPU", "critical", "host:sw-1"),
    Row("sensu-go", {"entity": {"metadata": {"name": "db-1"}}, "timestamp": 1780314600, "check": {"metadata": {
        "name": "check-disk"}, "state": "failing", "status": 2, "output": "DISK"}}, "firing", "check-disk", "",
        "host:db-1", starts=True),
    Row("sensu-go-end", {"entity": {"metadata": {"name": "db-1"}}, "check": {"metadata": {"name": "check-disk"},
        "state": "passing", "status": 0}}, "resolved", "check-disk"),
    Row("kapacitor", {"id": "cpu:db-1", "message": "cpu is CRITICAL", "time": AT, "level": "CRITICAL",
                      "previousLevel": "OK"}, "firing", "cpu:db-1|cpu is CRITICAL", "critical", starts=True),
    Row("kapacitor-end", {"id": "cpu:db-1", "message": "cpu is back", "level": "OK", "previousLevel": "CRITICAL"},
        "resolved", "cpu:db-1|cpu is back"),
    Row("influxdb", {"_check_name": "CPU", "_level": "crit", "_message": "CPU is high", "_time": AT, "host": "db-1"},
        "firing", "CPU", "critical", "host:db-1", starts=True),
    Row("influxdb-end", {"_check_name": "CPU", "_level": "ok", "_message": "CPU is low"}, "resolved", "CPU"),
    Row("opensearch", {"monitor": {"name": "errors"}, "trigger": {"name": "many errors", "severity": "1"},
                       "periodStart": AT}, "firing", "many errors|errors"),
    Row("wazuh", {"timestamp": "2026-06-01T11:50:00.000+0000", "rule": {"level": 10, "description": "Brute force"},
                  "agent": {"id": "1", "name": "db-1"}, "id": "1.2"}, "firing", "Brute force", "", "host:db-1",
        starts=True),
    Row("falco", {"output": "A shell was spawned", "priority": "Warning", "rule": "Terminal shell in container",
                  "time": AT, "hostname": "n-1"}, "firing", "Terminal shell in container", "warning", "host:n-1",
        starts=True),
    Row("sumologic", {"AlertName": "Errors", "TriggerType": "ResolvedCritical", "Description": "d"}, "resolved",
     "Errors"),
    Row("instana", {"issue": {"id": "1", "type": "issue", "state": "CLOSED", "start": 1780314600000, "severity": 10,
        "text": "Slow calls", "entityLabel": "shop"}}, "resolved", "Slow calls", starts=True),
    Row("honeycomb", {"id": "1", "name": "Latency", "status": "TRIGGERED", "summary": "s", "trigger_url": "u"},
     "firing",
        "Latency"),
    Row("thousandeyes", {"eventId": "1", "eventType": "ALERT_NOTIFICATION_CLEAR", "alert": {"ruleName": "Loss",
        "testName": "t", "dateStart": "2026-06-01 11:50:00"}}, "resolved", "Loss"),
    Row("librato", {"alert": {"id": 1, "name": "queue"}, "trigger_time": 1780314600, "clear": "auto"}, "resolved",
        "queue", starts=True),
    Row("papertrail", {"saved_search": {"id": 1, "name": "errors"}, "events": [{"id": 1, "message": "a"},
        {"id": 2, "message": "b"}]}, "firing", "errors"),
    Row("updown", [{"event": "check.up", "check": {"url": "https://shop.example", "alias": "shop"}, "downtime": {
        "error": "500"}}], "resolved", "shop|check.up"),
    Row("freshping", {"text": "x", "webhook_event_data": {"check_name": "shop", "check_state_name": "Available"}},
        "resolved", "shop"),
    Row("freshping-down", {"webhook_event_data": {"check_name": "shop", "check_state_name": "Not Responding"}},
     "firing",
        "shop"),
    Row("slack-form", {"text": "", "attachments": [{"color": "danger", "title": "Disk is full", "text": "d"}]},
     "firing",
        "Disk is full"),
    Row("grafana-oncall", {"event": {"type": "resolve", "time": AT}, "alert_group": {"id": "i", "title": "Load",
        "state": "resolved"}}, "resolved", "Load"),
    Row("argo", {"name": "sync failed", "app": "shop", "resolved": False}, "firing", "sync failed", "", "service:shop"),
    Row("flag", {"name": "sync failed", "is_resolved": True}, "resolved", "sync failed"),
    Row("cloudflare", {"name": "Pool health", "alert_event": "ALERT_STATE_EVENT_END", "text": "t"}, "resolved",
        "Pool health"),
    Row("camel", {"alertName": "Lag", "alertState": "Recovered", "hostName": "q-1", "startTime": AT,
     "severityLevel": 2},
        "resolved", "Lag", "", "host:q-1", starts=True),
    Row("two", {"events": [{"title": "A", "status": "ok"}, {"title": "B", "status": "ok"}]}, "resolved", "A|B"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_a_body_that_no_receiver_knows_gives_its_alert(row: Row) -> None:
    got = receive(row.body, NOW)
    alert = got.alerts[0]
    assert got.source == "generic", got.source
    assert len(got.alerts) == (2 if row.id == "two" else 1)
    assert alert.name in row.names.split("|"), alert.name
    assert alert.status.value == row.status
    assert row.severity in ("", alert.severity), alert.severity
    assert not row.entity or row.entity in entities(alert), (entities(alert), alert.labels)
    assert not row.starts or alert.starts_at == STARTED, alert.starts_at


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("DOWN -> UP", "resolved"), ("UP -> DOWN", "firing"), ("not available", "firing"), ("all quiet", None),
     ("POLICY_CANCELED_WARNING", "resolved"), ("the disk that was closed is open now and will never be up", None)],
)  # fmt: skip
def test_a_state_is_found_in_a_phrase(text: str, wanted: str | None) -> None:
    found = state_of(text)
    assert (found and found.value) == wanted
