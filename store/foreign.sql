-- has_queue: whether procrastinate's tables are there
select to_regclass('procrastinate_jobs') is not null as found

-- has_checkpoints: whether the checkpointer's tables are there
select to_regclass('checkpoint_migrations') is not null as found

-- checkpoint_version: the last step that was applied
select coalesce(max(v), -1) as version from checkpoint_migrations

-- record_checkpoint_version: remembers a step
insert into checkpoint_migrations (v) values (%(version)s)
