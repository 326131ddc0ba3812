-- What people are told of an incident, by which channel, and whether it has arrived.

create table notification (
    incident_id text not null references incident (id) on delete cascade,
    what text not null check (what in ('first', 'report')),
    version integer not null default 0,                  -- of the report; 0 of the first word
    channel text not null,                               -- its name in the settings
    state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
    attempts integer not null default 0,
    error text not null default '',                      -- of the last attempt
    next_at timestamptz not null default now(),          -- who claims it puts this off, so that nobody else sends it
    created_at timestamptz not null default now(),
    sent_at timestamptz,
    primary key (incident_id, what, version, channel)
);
create index on notification (next_at) where state = 'waiting';
