-- lock: one process migrates at a time; the number is fishbone's own
select pg_advisory_lock(7134682090152)

-- unlock: lets the next one look
select pg_advisory_unlock(7134682090152)

-- create_table: where applied steps are remembered
create table if not exists migration (
    name text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
)

-- applied: what was done before
select name, sha256 from migration order by name

-- record: remembers a step, in the transaction that did it
insert into migration (name, sha256) values (%(name)s, %(sha256)s)
