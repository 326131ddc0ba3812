-- documents: what is indexed, so that only what changed is indexed again
select name, kind, sha256, parser, model from document order by name

-- lock: one process changes the index at a time; the number is fishbone's own
select pg_advisory_xact_lock(7134682090154)

-- alive: a transaction that waits for something else is not one that was left
select 1

-- remove_document: forgets a document and its passages
delete from document where name = %(name)s

-- add_document: the head of a document
insert into document (name, kind, sha256, parser, model)
values (%(name)s, %(kind)s, %(sha256)s, %(parser)s, %(model)s)

-- add_passages: all passages of a document in one statement; the lists run side by side
insert into passage (document, ordinal, runbook, fault, heading, body, alerts, bigrams, embedding, model, dimension)
select %(name)s, ordinality, runbook, fault, heading, body,
       array(select json_array_elements_text(alerts)),
       array_to_tsvector(array(select json_array_elements_text(bigrams))),
       embedding::halfvec, %(model)s, coalesce(vector_dims(embedding::halfvec), 0)
from unnest(
    %(runbooks)s::text[], %(faults)s::text[], %(headings)s::text[], %(bodies)s::text[],
    %(alerts)s::json[], %(bigrams)s::json[], %(embeddings)s::text[]
) with ordinality as row (runbook, fault, heading, body, alerts, bigrams, embedding, ordinality)

-- by_alert: passages that answer an alert of one of these names exactly
select document, ordinal, kind, runbook, fault, heading, body, alerts
from passage join document on document.name = passage.document
where alerts && %(alerts)s::text[] and kind = any(%(kinds)s)
order by document, ordinal

-- of_document: all passages of one document, in order
select document, ordinal, kind, runbook, fault, heading, body, alerts
from passage join document on document.name = passage.document
where document = %(name)s
order by ordinal

-- search: the best passages by meaning and by words, fused by rank
-- Words are scored by BM25 (k1 1.2, b 0.75; a word in the heading counts three times), each word of the question on
-- its own, since a query that demands them all finds nothing. Meaning is an exact scan over the vectors of one model.
with corpus as (
    select count(*)::float8 as passages, avg(greatest(length(search) + length(bigrams), 1))::float8 as size
    from passage join document on document.name = passage.document
    where kind = any(%(kinds)s)
),
word as (
    select lexeme from unnest(to_tsvector('english', %(query)s::text))
    union
    -- headings are indexed as they stand; a stop word says nothing there either
    select lexeme from unnest(to_tsvector('simple', %(query)s::text)) where length(to_tsvector('english', lexeme)) > 0
),
asked as materialized (
    -- a vector of one lexeme, written out, is the query for it, whatever characters it holds
    select lexeme, array_to_tsvector(array[lexeme])::text::tsquery as term from word
),
paired as materialized (
    select lexeme, array_to_tsvector(array[lexeme])::text::tsquery as term
    from (select distinct unnest(%(bigrams)s::text[])) as pair (lexeme)
    where lexeme <> ''
),
hit as materialized (
    select document, ordinal, size, lexeme, frequency
    from asked
    cross join lateral (
        -- for one lexeme this is the sum of the weights of its places: here 1 in the body, 3 in the heading
        select document, ordinal, length(search) + length(bigrams) as size,
               3 * ts_rank_cd('{0, 0, 0.33333334, 1}', search, term)::float8 as frequency
        from passage
        where search @@ term
        offset 0 -- so that each word is looked up in the index, whatever the planner makes of the join
    ) as place
    join document on document.name = place.document
    where kind = any(%(kinds)s)
    union all
    select document, ordinal, length(search) + length(bigrams), lexeme, 1.0::float8
    from paired
    join passage on bigrams @@ term
    join document on document.name = passage.document
    where kind = any(%(kinds)s)
),
rarity as (
    select lexeme, ln(1 + (passages - count(*) + 0.5) / (count(*) + 0.5)) as weight
    from hit cross join corpus
    group by lexeme, passages
),
worded as (
    select document, ordinal,
           sum(weight * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * hit.size / corpus.size))) as score
    from hit join rarity using (lexeme) cross join corpus
    group by document, ordinal
),
by_words as (
    select document, ordinal, score, row_number() over (order by score desc, document, ordinal) as rank
    from worded
    order by rank
    limit %(depth)s
),
meant as (
    select document, ordinal, embedding <=> %(embedding)s::halfvec as distance
    from passage join document on document.name = passage.document
    where kind = any(%(kinds)s) and passage.model = %(model)s
          and embedding is not null and %(embedding)s::text is not null
),
by_meaning as (
    select document, ordinal, distance, row_number() over (order by distance, document, ordinal) as rank
    from meant
    order by rank
    limit %(depth)s
)
select passage.document, passage.ordinal, kind, runbook, fault, heading, body, alerts,
       by_meaning.rank as vector_rank, by_words.rank as text_rank,
       1 - by_meaning.distance as similarity, coalesce(by_words.score, 0) as text_score,
       coalesce(1.0 / (60 + by_meaning.rank), 0)::float8 + coalesce(1.0 / (60 + by_words.rank), 0)::float8 as score
from by_words
full join by_meaning using (document, ordinal)
join passage using (document, ordinal)
join document on document.name = passage.document
order by score desc, passage.document, passage.ordinal
limit %(limit)s
