"""Shapes that harm in one way only: each is a reason where that very harm is complained of, and nowhere else.

Good changes have the same shapes, so none of them counts by itself.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Shape:
    """What a diff had and has no more, or has and had not; where both are given, both must be found."""

    why: str  # {was} and {now}: the words found
    harm: str
    was: str = ""  # found in removed lines, and not the same in added ones
    now: str = ""  # found in added lines, and not the same in removed ones
    unless: str = ""  # what makes it harmless, in the added lines
    score: float = 1.25
    calls: bool = False


SHAPES: Final = (
    # the cluster and the machine
    Shape(
        "gives less time to start ({was} is gone)",
        "probe",
        r"(?m)^\s*-?\s*(?:initialDelaySeconds|startupProbe|failureThreshold|start_period)\b",
        unless=r"startupProbe",
    ),
    Shape(
        "no longer bounds what it uses ({was} is gone)",
        "work",
        r"(?m)^\s*(?:limits|requests|mem_limit|cpus|ulimits|pids_limit|maxmemory)\s*:",
    ),
    Shape(
        "lets only some connections pass ({now})",
        "reach",
        now=r"(?i)kind:\s*\w*NetworkPolicy|^\s*-?\s*policyTypes:|default-deny|\bDENY\b|-j DROP|\bdeny all\b",
    ),
    Shape(
        "no longer lets {was} pass",
        "reach",
        r"(?m)^\s*(?:-\s*)?(?:ingress\b|egress\b|cidr_blocks\W.*|security_groups?\W.*|source_security_group_id\W.*|"
        r"from_port\W+\d+|to_port\W+\d+|allow \S+;|(?:namespace|pod)Selector:.*|authorized_networks\W.*)",
    ),
    Shape("takes the key {now}, not {was}", "names", r"(?m)^\s*key:\s*\S+", r"(?m)^\s*key:\s*\S+"),
    Shape("runs the {now}, not {was}", "start", r"\bimage:\s*\S+", r"\bimage:\s*\S+"),
    Shape("builds on {now}, not {was}", "start", r"(?m)^FROM \S+", r"(?m)^FROM \S+"),
    Shape(
        "starts as {now}, not {was}",
        "start",
        r"(?m)^(?:ENTRYPOINT|CMD)\s.*|^\s*(?:command|entrypoint|args):\s*\S.*",
        r"(?m)^(?:ENTRYPOINT|CMD)\s.*|^\s*(?:command|entrypoint|args):\s*\S.*",
    ),
    Shape(
        "no longer puts into the image what {was} put there",
        "start",
        r"(?m)^(?:COPY|ADD|RUN)\s+(?:--\S+\s+)*[^\n]+",
        unless=r"(?m)^(?:COPY|ADD|RUN)\s",
    ),
    Shape(
        "runs with fewer rights ({now})",
        "files",
        now=r"(?m)^USER\s+(?!root|0\b)\S+|^\s*-?\s*(?:runAsUser:\s*[1-9]\d*|runAsNonRoot:\s*true|"
        r"readOnlyRootFilesystem:\s*true|read_only:\s*true|drop:|cap_drop:|no-new-privileges\S*|"
        r"allowPrivilegeEscalation:\s*false)",
        unless=r"chown|fsGroup|emptyDir|tmpfs",
    ),
    Shape(
        "no longer has the rights of {was}",
        "files",
        r"(?m)^USER\s+(?:root|0)\b|^\s*-?\s*(?:privileged:\s*true|cap_add:|fsGroup:|add:\s*\[|runAsUser:\s*0)|"
        r"chown\s+-?\w*\s*\S+",
    ),
    Shape(
        "runs only where other machines are ({was} is gone)",
        "place",
        r"(?m)^\s*-?\s*(?:tolerations|nodeSelector|affinity|nodeAffinity|topologySpreadConstraints|"
        r"priorityClassName)\s*:",
    ),
    Shape(
        "runs only on some machines ({now})",
        "place",
        now=r"(?m)^\s*-?\s*(?:nodeSelector|podAntiAffinity|requiredDuringScheduling\w*|taints?|"
        r"topologySpreadConstraints|whenUnsatisfiable|storageClassName)\s*:",
    ),
    Shape(
        "is ended before its work is done ({was} is gone)",
        "cut",
        r"(?m)^\s*-?\s*(?:terminationGracePeriodSeconds|preStop|stop_grace_period|deregistration_delay)\b|"
        r"TimeoutStopSec|shutdown_?timeout|\bgraceful\w*|server\.shutdown",
    ),
    Shape("no longer keeps {was}", "lost", r"(?m)^\s*-\s*[\"']?[\w./${}-]+:/[\w./-]+|\b(?:mountPath|subPath):\s*\S+"),
    Shape(
        "is no longer joined as {was} did",
        "reach",
        r"(?m)^\s*-?\s*(?:network_mode|extra_hosts|depends_on|hostNetwork|dnsPolicy|aliases|networks|links|"
        r"hostAliases|dns)\s*:",
    ),
    Shape(
        "no longer sets {was}",
        "names",
        r"(?m)^\s*- name: [A-Z][A-Z0-9_]+\s*$|^\s*(?:export |ENV )?[A-Z][A-Z0-9]*_[A-Z0-9_]+(?==|: )|"
        r"\b(?:envFrom|configMapRef|secretRef|secretKeyRef|env_file)\b",
    ),
    Shape("no longer sets {was} at the entry", "way", r"[\w.-]+\.(?:kubernetes\.io|k8s\.io|nginx\.org)/[\w.-]+"),
    Shape(
        "keeps callers at one instance no longer ({was} is gone)",
        "session",
        r"sessionAffinity:\s*ClientIP|\bip_hash\b|\bsticky\b[^\n]*|stickiness\W[^\n]*|affinity:\s*[\"']?cookie|"
        r"hash \$\w+",
    ),
    Shape(
        "passes answers on as {now}, not {was}",
        "slow",
        r"(?m)^\s*(?:proxy_buffering|proxy_request_buffering|sendfile|tcp_nodelay|proxy_http_version|"
        r"proxy_cache\w*|gzip)\s+\S+;",
        r"(?m)^\s*(?:proxy_buffering|proxy_request_buffering|sendfile|tcp_nodelay|proxy_http_version|"
        r"proxy_cache\w*|gzip)\s+\S+;",
    ),
    Shape(
        "counts by {now}, not {was}, so that callers share one limit",
        "load",
        r"limit_(?:req|conn)_zone\s+\$\w+|key_?(?:func|generator|resolver)\W[^\n]*|trust[ _]proxy",
        r"limit_(?:req|conn)_zone\s+\$\w+|key_?(?:func|generator|resolver)\W[^\n]*",
    ),
    Shape("trusts the proxy's addresses no longer ({was} is gone)", "load", r"trust[ _]proxy|set_real_ip_from|"
    r"ProxyFix"),
    # certificates, rights, origins
    Shape(
        "takes {now}, not {was}",
        "secure",
        r"(?i)\b(?:issuer\w*|ca_?(?:file|cert|bundle|path)\w*|cert\w*|trust_?store|key_?store|allow(?:ed)?_?origins?|"
        r"access-control-\S+|content-security-policy|frame-ancestors)\b\W[^\n]*",
        r"(?i)\b(?:issuer\w*|ca_?(?:file|cert|bundle|path)\w*|cert\w*|trust_?store|key_?store|allow(?:ed)?_?origins?|"
        r"access-control-\S+|content-security-policy|frame-ancestors)\b\W[^\n]*",
    ),
    Shape(
        "allows {now}, not {was}",
        "denied",
        r"(?i)\"?\b(?:resources?|principals?|actions?|conditions?|role|role_arn|scopes?|serviceAccountName|"
        r"member)\b\"?\s*[=:]\s*[^\n]+",
        r"(?i)\"?\b(?:resources?|principals?|actions?|conditions?|role|role_arn|scopes?|serviceAccountName|"
        r"member)\b\"?\s*[=:]\s*[^\n]+",
    ),
    Shape("forbids ({now})", "denied", now=r"(?i)\"?effect\"?\s*[=:]\s*\"?Deny"),
    # the database
    Shape(
        "locks the whole table while it runs ({now})",
        "locks",
        now=r"(?i)\balter table\b[^;\n]*\b(?:not null|type\s|set data type|modify|change\s|add (?:constraint|"
        r"foreign|unique|primary|check)|"
        r"engine\s*=|convert to)|\block table\b|\bvacuum full\b|\bcluster\b \w+ using|\breindex (?:table|"
        r"index) (?!concurrently)|"
        r"\bcreate (?:unique )?index (?!concurrently\b)|\bupdate \w+\s+set\b(?![^;]*\bwhere\b)|"
        r"\brefresh materialized view (?!concurrently)",
        unless=r"(?i)not valid|lock\s*=\s*none|algorithm\s*=\s*(?:inplace|instant)|concurrently|pt-online|"
        r"gh-ost|\blimit\b",
    ),
    Shape(
        "locks the rows that it reads ({now})",
        "locks",
        now=r"(?i)\bfor (?:update|share|no key update)\b|lock in share mode|with_for_update|select_for_update|"
        r"lock_?for_?update|"
        r"PESSIMISTIC_WRITE|pg_advisory_(?:xact_)?lock|get_lock\(",
        unless=r"(?i)skip locked|skip_locked|nowait",
    ),
    Shape("shares sessions as {now}, not {was}", "prepared", r"pool_mode\s*=\s*\w+", r"pool_mode\s*=\s*\w+"),
    Shape(
        "keeps texts as {now}, not {was}",
        "charset",
        r"(?i)\butf-?8(?:mb4)?\b|\butf-?16\b",
        r"(?i)\butf8\b|\butf8mb3\b|\blatin-?1\b|\bascii\b|\biso-8859-\d+|\bcp125\d\b",
    ),
    Shape("pages by {now}", "slow", now=r"(?i)\boffset\b\s*[$:?\d@]|\.offset\(|\.skip\("),
    Shape(
        "asks for more work of the database ({now})",
        "slow",
        now=r"(?i)\bnot in\s*\(\s*select\b|\bselect distinct\b|\bcross join\b|\bcount\(\*\)|\border by\b|"
        r"\bsql_calc_found_rows\b|"
        r"\bfind_in_set\(|\bregexp\b|\bilike\b",
    ),
    Shape("compares a text with the number {now}", "slow", r"=\s*'\d+'", r"=\s*\d+\b(?!')"),
    Shape(
        "takes all at once ({now}), no longer page by page",
        "work",
        r"(?i)\bper_?page\b|page_?size|\bpage\s*=|paginat\w*|pageable|\bcursor\b|find_each|in_batches|"
        r"iterator\(|\byield\b|chunk_?size|fetch_?size",
        r"(?i)\w*list_?all\w*|\w*(?:find|get|fetch|load|read)_?all\w*|\.all\(\)|\bto_a\b|\.tolist\(|\blist\(|"
        r"\.collect\(",
    ),
    # queues
    Shape(
        "sends without {was}",
        "order",
        r"(?i)\b(?:partition_?key|message_?group_?id|ordering_?key|key)\s*[=:]\s*[\w.]+",
        unless=r"(?i)\b(?:partition_?key|message_?group_?id|ordering_?key|key)\s*[=:]",
    ),
    Shape(
        "no longer drops what comes twice ({was} is gone)",
        "again",
        r"(?i)\bdedup\w*|\bidempoten\w*|message_?deduplication\w*|processed_?(?:ids|events|messages)|"
        r"already_?(?:seen|processed|sent)|on conflict|exists_?by\w*",
        unless=r"(?i)\bdedup|idempoten|already_|on conflict|unique",
    ),
    Shape(
        "deletes after a while ({now})",
        "lost",
        now=r"(?i)\blifecycle_rule\b|\bexpiration\b[^\n]*|\bretention\w*\W+\d[^\n]*|delete_?after\W[^\n]*|"
        r"cleanup\.policy\W+delete|\bexpire_?(?:after|at|in)\w*\W[^\n]*",
    ),
    # code
    Shape(
        "does at one time what it did scattered ({was} is gone)",
        "load",
        r"(?i)\w*jitter\w*|\brand(?:om)?(?:\.\w+)?\(|splay|RandomizedDelaySec",
        unless=r"(?i)jitter|rand",
        calls=True,
    ),
    Shape(
        "starts as much at once as is asked for ({was} is gone)",
        "work",
        r"(?i)\bsem\b\s*<-|\bsem\.\w+|semaphore\w*|p-?limit|\bSetLimit\b|bulkhead\w*|(?:fixed|"
        r"bounded)_?thread_?pool\w*|ArrayBlockingQueue\b|max_?in_?flight",
        unless=r"(?i)\bsem|limit|bulkhead|pool|max_",
        calls=True,
    ),
    Shape(
        "looks through all of {now} each time",
        "slow",
        r"\bset\(|new Set\b|HashSet\b|\bmap\[|new Map\b|HashMap\b|frozenset\(|\bdict\(",
        r"\blist\(|ArrayList\b|\.indexOf\(|\.includes\(|\.filter\(|\.find\(|slices\.Contains\(",
    ),
    Shape(
        "collects garbage with {now}, not {was}",
        "heap",
        r"-XX:[+-]Use\w+GC|GOGC=\S+|MALLOC_ARENA_MAX\S*|LD_PRELOAD\S*|GOMEMLIMIT\S*",
        r"-XX:[+-]Use\w+GC|GOGC=\S+|MALLOC_ARENA_MAX\S*|LD_PRELOAD\S*|GOMEMLIMIT\S*",
    ),
    Shape(
        "runs without {was}",
        "heap",
        r"-Xm[xs]\d+\w?|-XX:Max\w+=\S+|--max-old-space-size=\d+|GOMEMLIMIT\S*|GOGC\S*|MALLOC_ARENA_MAX\S*|"
        r"jemalloc\S*|max_?requests(?:_per_child)?\W+\d+",
        unless=r"-Xmx|MaxRAMPercentage|max-old-space-size|GOMEMLIMIT|max_?requests",
    ),
    Shape(
        "no longer knows {was}",
        "names",
        r"(?m)^\s*[A-Z][A-Z_]{2,}\s*=\s*\d+\s*;",
    ),
    Shape("measures each one apart ({now})", "heap", now=r"(?i)\.labels?\([^)]*(?:user|id|path|url|email|"
    r"session)\w*|WithLabelValues\([^)]*(?:user|id|path|url)\w*"),
)  # fmt: skip
