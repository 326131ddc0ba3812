-- Who holds an investigation, what it reports while it runs, and what is needed to go on with it after a crash.

alter table incident drop constraint if exists incident_status_check;
alter table incident add constraint incident_status_check
    check (status in ('open', 'investigating', 'closed', 'failed'));
alter table incident add column crashes integer not null default 0; -- workers lost over it since its last report

alter table investigation add column job bigint;                -- of the queue; a job has one investigation
alter table investigation add column lease_until timestamptz;   -- its worker is alive until then; null: nobody has it
alter table investigation add column notified_at timestamptz;
create unique index on investigation (incident_id, version);
create index on investigation (lease_until) where status = 'running';

alter table tool_call_log add column text text not null default '';  -- what a model saw
alter table tool_call_log add column coverage json;

create table event (
    id bigint generated always as identity primary key,  -- rises within an investigation
    investigation text not null references investigation (id) on delete cascade,
    at timestamptz not null default now(),
    kind text not null,
    data json not null
);
create index on event (investigation, id);
