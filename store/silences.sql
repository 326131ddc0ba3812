-- add: a silence
insert into silence (matchers, starts_at, ends_at, comment)
values (%(matchers)s::json, %(starts_at)s, %(ends_at)s, %(comment)s)
returning id

-- active: those that hold at a moment
select id, matchers, starts_at, ends_at, comment from silence
where starts_at <= %(now)s and ends_at > %(now)s
order by id

-- recent: those that are not over, and those that were the last
select id, matchers, starts_at, ends_at, comment from silence order by ends_at desc, id desc limit %(limit)s

-- finish: a silence ends now
update silence set ends_at = %(now)s where id = %(id)s and ends_at > %(now)s returning id
