-- Alerts: a counter passed a share of its limit that people want to hear of. One row for each counter, window and share,
-- whichever replica saw it first; a row is also the message until somebody has delivered it.

create table penstock.budget_alert (
    key           text        collate "C" not null,
    idx           bigint      not null,
    percent       integer     not null,
    id            uuid        not null default pg_catalog.gen_random_uuid(),
    used          bigint      not null,
    lim           bigint      not null,
    at            timestamptz not null,
    sent_at       timestamptz,
    claimed_until timestamptz,              -- somebody is delivering it, or waits to try again
    attempts      integer     not null default 0,
    primary key (key, idx, percent)
);

-- Records what is not recorded yet; returns that.
create function penstock.record_alerts_v1(
    p_keys text[], p_idx bigint[], p_percents integer[], p_used bigint[], p_limits bigint[])
returns table (budget text, percent integer)
language plpgsql volatile security definer as $$
begin
    return query
        with made as (
            insert into penstock.budget_alert (key, idx, percent, used, lim, at)
                select u.key, u.idx, u.percent, u.used, u.lim, pg_catalog.clock_timestamp()
                  from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_idx), pg_catalog.unnest(p_percents),
                                  pg_catalog.unnest(p_used), pg_catalog.unnest(p_limits))
                       as u (key, idx, percent, used, lim)
                 order by u.key, u.idx, u.percent
                on conflict do nothing
            returning budget_alert.key, budget_alert.percent)
        select k.budget, m.percent from made m cross join lateral penstock.counter_key_v1(m.key) k;
end $$;

-- Takes messages to deliver: at most so many, nobody else gets them for a while, and none more than 5 times.
create function penstock.claim_alerts_v1(p_most integer)
returns table (id uuid, budget text, unit text, scope text, percent integer, used bigint, lim bigint, at timestamptz)
language plpgsql volatile security definer as $$
begin
    return query
        with due as (
            select a.key, a.idx, a.percent from penstock.budget_alert a
             where a.sent_at is null and a.attempts < 5
               and (a.claimed_until is null or a.claimed_until < pg_catalog.clock_timestamp())
             order by a.at limit p_most for update skip locked),
        taken as (
            update penstock.budget_alert a
               set attempts = a.attempts + 1,
                   claimed_until = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => 10 * 2 ^ a.attempts)
              from due where a.key = due.key and a.idx = due.idx and a.percent = due.percent
            returning a.*)
        select t.id, k.budget, k.unit, k.scope::text, t.percent, t.used, t.lim, t.at
          from taken t cross join lateral penstock.counter_key_v1(t.key) k order by t.at;
end $$;

create function penstock.alert_sent_v1(p_id uuid) returns void
language sql volatile security definer as $$
    update penstock.budget_alert a set sent_at = pg_catalog.clock_timestamp() where a.id = p_id
$$;

-- One round of the leader's housekeeping: forgets alerts after 7 days, at most 500. Returns how many.
create function penstock.sweep_alerts_v1(p_incarnation uuid, p_term bigint) returns integer
language plpgsql volatile security definer as $$
declare
    v_count integer;
begin
    perform penstock.hold_duty_v1('sweep', p_incarnation, p_term);
    delete from penstock.budget_alert a
     where (a.key, a.idx, a.percent) in (
         select o.key, o.idx, o.percent from penstock.budget_alert o
          where o.at < pg_catalog.clock_timestamp() - interval '7 days' limit 500);
    get diagnostics v_count = row_count;
    return v_count;
end $$;

create view penstock.alerts as
    select a.id, k.budget, k.unit, k.scope, a.percent, a.used, a.lim as "limit", a.at, a.sent_at, a.attempts
      from penstock.budget_alert a cross join lateral penstock.counter_key_v1(a.key) k;

revoke all on all routines in schema penstock from public;
grant execute on function
    penstock.record_alerts_v1, penstock.claim_alerts_v1, penstock.alert_sent_v1, penstock.sweep_alerts_v1
    to penstock_gateway;
grant select on penstock.alerts to penstock_gateway, penstock_operator;
