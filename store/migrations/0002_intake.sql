-- What came in by webhook, what became of each alert, and what keeps further ones together.

alter table incident add column opened_at timestamptz;   -- null: not by a webhook
alter table incident add column heard_at timestamptz;    -- when an alert of it last came in
alter table incident add column grown_at timestamptz;    -- when an alert that was new to it last came in
alter table incident add column closed_at timestamptz;
alter table incident add column storm boolean not null default false;  -- collects what came in when too much did
create index on incident (heard_at) where heard_at is not null and status <> 'closed';
create index on incident (opened_at) where opened_at is not null;

create table incident_alert (
    id bigint generated always as identity,              -- the order in an incident
    incident_id text not null references incident (id) on delete cascade,
    source text not null,
    fingerprint text not null,
    firing boolean not null,
    alert json not null,                                 -- as it last changed
    primary key (incident_id, source, fingerprint)
);
create unique index on incident_alert (source, fingerprint) where firing;  -- an alert fires in one incident only
create index on incident_alert (source, fingerprint);

create table incident_key (
    key text not null,                                   -- a sender's group, or what an alert is about
    incident_id text not null references incident (id) on delete cascade,
    primary key (key, incident_id)
);
create index on incident_key (incident_id);

create table alert (
    id bigint generated always as identity primary key,
    received_at timestamptz not null,
    source text not null,
    identity text not null,                              -- who sent it: the source it proved to be
    fingerprint text not null,
    name text not null,
    status text not null,
    account text not null check (account in ('new', 'joined', 'duplicate', 'silenced', 'resolved', 'cooldown')),
    why text not null,
    incident_id text references incident (id) on delete set null,
    alert json                                           -- null: as the incident has it
);
create index on alert (incident_id, id);
create index on alert (received_at);

create table edge (
    caller text not null,                                -- names as in entities, without their kind, in lower case
    callee text not null,
    seen_at timestamptz not null default now(),
    primary key (caller, callee)
);
create index on edge (callee);

create table silence (
    id bigint generated always as identity primary key,
    matchers json not null,                              -- all must match: name, operator, value
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    comment text not null
);
create index on silence (ends_at);
