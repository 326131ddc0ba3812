-- How many alerts were counted before their rows were pruned, so that totals never fall.

create table alert_pruned (
    source text not null,
    account text not null,
    count bigint not null,
    primary key (source, account)
);
