-- A model's pass over what the offline analyst has found: an investigation of its own, and what the model replied.

alter table investigation add column after text references investigation (id) on delete cascade; -- the analyst's pass
alter table investigation add column handed json;  -- what a second pass reads of this one: its report; null: none does

create table model_reply (
    investigation text not null,                   -- no foreign key, as with tool calls
    agent text not null,
    turn integer not null,                         -- of the agent, from 0
    request text not null,                         -- digest of what was asked
    record json not null,                          -- as it stands in a flight recording, after redaction
    at timestamptz not null default now(),
    primary key (investigation, agent, turn, request)  -- what is asked again after a crash is one reply
);
