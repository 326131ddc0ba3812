-- save: keeps results under their hashes in one statement; what is there stays, for equal hashes mean equal content
insert into tool_result (sha256, content)
select sha256, content from unnest(%(hashes)s::text[], %(contents)s::json[]) as row (sha256, content)
on conflict (sha256) do nothing

-- load: reads one result back
select content from tool_result where sha256 = %(sha256)s

-- known: which of these hashes are kept
select sha256 from tool_result where sha256 = any(%(hashes)s::text[])

-- load_all: reads results back
select sha256, content from tool_result where sha256 = any(%(hashes)s::text[])
