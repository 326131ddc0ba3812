-- What one fishbone keeps. Text that strangers wrote is stored as `json`, not `jsonb`: it may hold \u0000.

create extension if not exists vector;
create extension if not exists pg_trgm;

create table tool_result (
    sha256 text primary key,                      -- of the canonical JSON of the content, after redaction
    content json not null,
    created_at timestamptz not null default now()
);

create table incident (
    id text primary key,
    title text not null,
    fired_at timestamptz not null,
    window_start timestamptz not null,
    window_end timestamptz not null,
    timezone text not null,
    alerts json not null,
    notes text not null,
    gaps json not null,
    status text not null default 'open' check (status in ('open', 'investigating', 'closed')),
    created_at timestamptz not null default now()
);
create index on incident (created_at desc, id);

create table investigation (
    id text primary key,                          -- the trace id everywhere
    incident_id text not null references incident (id) on delete cascade,
    version integer not null,
    status text not null check (status in ('running', 'done', 'failed', 'incomplete')),
    reason text not null default '',              -- why it failed or stayed incomplete
    verdict text,
    confidence double precision,
    entity text,                                  -- of the root cause
    fault text,
    contract text not null,
    fingerprint text not null,                    -- of the code
    fencing_token bigint not null default 0,      -- rises with each worker that takes the row over
    started_at timestamptz not null,
    ended_at timestamptz
);
create index on investigation (incident_id, version);

create table tool_call_log (
    investigation text not null,                  -- no foreign key: calls outside an investigation are logged too
    call_id text not null,
    agent text not null,
    entry text not null,
    identity text not null,
    tool text not null,
    tool_version text not null,
    arguments json not null,
    status text not null,
    error text not null,
    result_sha256 text not null,                  -- '' where the call gave no result
    redactions integer not null,
    truncated boolean not null,
    original_chars integer not null,
    started_at timestamptz not null,
    seconds double precision not null,
    primary key (investigation, call_id)
);
create index on tool_call_log (started_at);

create table report (
    incident_id text not null references incident (id) on delete cascade,
    version integer not null,
    investigation text not null references investigation (id) on delete cascade,
    report json not null,
    markdown text not null,
    created_at timestamptz not null default now(),
    primary key (incident_id, version)            -- one report per incident and version
);
create index on report (investigation);
create index on report (created_at desc);

create table document (
    name text primary key,                        -- of the runbook, or id of the incident
    kind text not null check (kind in ('runbook', 'incident')),
    sha256 text not null,                         -- of the text it was made from
    parser text not null,                         -- version of what cut it into passages
    model text not null,                          -- that embedded them, '' for none
    created_at timestamptz not null default now()
);

create table passage (
    document text not null references document (name) on delete cascade,
    ordinal integer not null,
    runbook text not null,
    fault text not null,
    heading text not null,
    body text not null,
    alerts text[] not null,                       -- names or matchers of alerts it answers
    search tsvector not null generated always as (
        setweight(to_tsvector('simple', heading), 'A') || setweight(to_tsvector('english', body), 'B')
    ) stored,
    bigrams tsvector not null,                    -- pairs of characters of text that is written without blanks
    embedding halfvec,
    model text not null,                          -- vectors of two models are never compared
    dimension integer not null,
    primary key (document, ordinal),
    check (embedding is null or vector_dims(embedding) = dimension)
);
create index on passage using gin (search);
create index on passage using gin (bigrams);
create index on passage using gin (alerts);
