-- People hear of an incident's end, and alerts that its cause does not explain have an incident of their own.

alter table notification drop constraint notification_what_check;
alter table notification add constraint notification_what_check check (what in ('first', 'report', 'resolved'));

alter table incident add column split_from text;  -- the incident whose report did not explain these alerts
create unique index on incident (split_from) where split_from is not null;  -- an incident splits once
