-- Calls of language models, and the keys they are made with.

create table model_call_log (
    id bigint generated always as identity primary key,
    investigation text not null,                    -- no foreign key: `doctor` calls too
    agent text not null,
    turn integer not null,
    tier text not null,
    model text not null,
    started_at timestamptz not null,
    seconds double precision not null,              -- with all attempts and the waiting between them
    prompt_tokens integer not null,
    completion_tokens integer not null,
    estimated integer not null,                     -- tokens of the prompt, before it was sent
    window_share double precision not null,
    cost double precision not null,                 -- in the currency of the prices in the settings
    failure text not null,                          -- '' when all was well
    attempts integer not null,
    key text not null                               -- the beginning of its hash
);
create index on model_call_log (investigation, id);
create index on model_call_log (started_at);

create table model_key (
    hash text primary key,                          -- sha256 over address and key; the key itself is nowhere
    address text not null,
    taken bigint not null default 0,                -- calls that were made with it
    taken_at timestamptz,
    rests_until timestamptz,                        -- nobody uses it before
    rests_for text not null default '',             -- failure class
    disabled_at timestamptz,                        -- it is not valid; doctor enables it when it works again
    disabled_for text not null default ''
);
