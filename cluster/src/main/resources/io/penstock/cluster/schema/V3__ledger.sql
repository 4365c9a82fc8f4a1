-- The ledger: one row per counter, one row per lane, and the transaction that admits.
--
-- Exactness rests on three rules that hold for everything that writes a counter:
--   1. Lock order: lane row, shards ascending (in a statement of their own), rows.
--   2. What is read is read by a statement that began after the locks were held. A statement's snapshot is older than
--      the locks it takes itself: the same logic in one statement admits too much (a test keeps such a twin and sees it
--      fail).
--   3. The clock is read once, after the locks, and a counter's window number never goes back.
-- Hot functions qualify every name, also of types, and have no SET clause (it costs more than the rest of the call);
-- no EXCEPTION block anywhere around locks, because leaving one drops them.

create table penstock.lane (
    incarnation uuid       not null,
    lane        smallint   not null,
    seq         bigint     not null default 0,      -- the last number used; only grows
    fenced      boolean    not null default false,  -- never reset
    at_us       bigint,                             -- when `seq` charged, null when it charged nothing or was undone
    admitted    smallint[],                         -- calls per group of `seq`, null for all that asked
    charged     bigint[],                           -- units per counter of `seq`, null for all that was wanted
    primary key (incarnation, lane)
) with (fillfactor = 20);

-- No index on what changes: an update stays in its page.
create table penstock.counter (
    key    text        collate "C" primary key,
    idx    bigint      not null,                    -- number of the window that `used` belongs to
    used   bigint      not null,
    lim    bigint      not null,                    -- the limit it was last judged by; for people
    micros bigint      not null,                    -- length of the window
    at     timestamptz not null                     -- last written
) with (fillfactor = 50);

-- Opens a lane before its first admission. Returns the last number used on it, -1 when the incarnation is over, -2 when
-- it is not known (it has not beaten yet, or was forgotten). The share lock makes this wait for a sweeper that is
-- fencing, or the sweeper for this, so that no lane can appear behind the fence.
create function penstock.open_lane_v1(p_incarnation uuid, p_lane smallint) returns bigint
language plpgsql volatile security definer as $$
declare
    v_state  pg_catalog.text;
    v_seq    bigint;
    v_fenced boolean;
begin
    if pg_catalog.current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        perform pg_catalog.set_config('synchronous_commit', 'on', true);
    end if;
    select r.state into v_state from penstock.replica r where r.incarnation = p_incarnation for share;
    if v_state is null then
        return -2;
    end if;
    if v_state in ('fenced', 'closed') then
        return -1;
    end if;
    insert into penstock.lane (incarnation, lane) values (p_incarnation, p_lane) on conflict do nothing;
    select l.seq, l.fenced into strict v_seq, v_fenced
      from penstock.lane l where l.incarnation = p_incarnation and l.lane = p_lane;
    return case when v_fenced then -1 else v_seq end;
end $$;

-- Decides one batch. Called alone, in autocommit, by the one class that owns lanes.
--
--   p_keys, p_limits, p_micros, p_wanted, p_shadow   each distinct counter once; wanted = if every call were admitted
--   p_asked, p_first, p_demand, p_amount             groups in order of arrival; the charges of group g are those from
--                                                    p_first[g] to p_first[g + 1] - 1, each on counter p_demand[i]
--   p_calls, p_group, p_rank, p_subject              calls in order of arrival; empty where nothing is journaled
--   p_tenants, p_agents, p_servers, p_tools, p_methods   each distinct subject once, by p_subject
--
-- Returns {status, now, lock wait in us, all, idx.., left.., charged.., admitted..}: one idx, left and charged per counter;
-- admitted per group only where `all` is 0. Status 0 decided, 1 replan, 2 late, 3 superseded.
create function penstock.admit_v1(
    p_incarnation uuid, p_lane smallint, p_seq bigint, p_epoch bigint, p_wait_ms integer,
    p_keys text[], p_limits bigint[], p_micros bigint[], p_wanted bigint[], p_shadow boolean[],
    p_asked integer[], p_first integer[], p_demand integer[], p_amount bigint[],
    p_calls text[], p_group integer[], p_rank integer[], p_subject integer[],
    p_tenants text[], p_agents text[], p_servers text[], p_tools text[], p_methods text[])
returns bigint[] language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    c_endless    constant bigint  := 4611686018427387904;  -- a shadow counter's room while groups are decided: no bound
    v_counters   constant integer := pg_catalog.cardinality(p_keys);
    v_groups     constant integer := pg_catalog.cardinality(p_asked);
    v_calls      constant integer := pg_catalog.cardinality(p_calls);
    v_set        pg_catalog.text;
    v_wait_us    bigint;
    v_epoch      bigint;
    v_revision   bigint;
    v_now        timestamp with time zone;
    v_us         bigint;
    v_all        boolean := true;
    v_short      boolean := false;
    v_idx        bigint[];
    v_used       bigint[];
    v_room       bigint[];
    v_left       bigint[];
    v_charged    bigint[];
    v_admitted   bigint[];
    v_written    bigint;
    v_over       bigint;
    v_due        bigint;
    v_any        boolean;
    n            bigint;
    g            integer;
    i            integer;
begin
    if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'admission needs read committed, not %', pg_catalog.current_setting('transaction_isolation');
    end if;
    if pg_catalog.current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        v_set := pg_catalog.set_config('synchronous_commit', 'on', true);
    end if;
    v_set := pg_catalog.set_config('lock_timeout', p_wait_ms::pg_catalog.text, true);

    update penstock.lane l set seq = p_seq, at_us = null, admitted = null, charged = null
     where l.incarnation = p_incarnation and l.lane = p_lane and l.seq < p_seq and not l.fenced;
    if not found then
        return array[3, 0, 0, 0];
    end if;

    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(p_keys) as k (key) order by 1) as s;

    v_wait_us := (extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp()) * 1000000)::bigint;
    if v_wait_us > p_wait_ms * 1000 then
        return array[2, 0, v_wait_us, 0];
    end if;
    select c.epoch, c.revision, pg_catalog.clock_timestamp() into strict v_epoch, v_revision, v_now from penstock.control c;
    if v_epoch <> p_epoch then
        return array[1, 0, v_wait_us, 0];
    end if;
    v_us := (extract(epoch from v_now) * 1000000)::bigint;

    if v_counters > 0 then
        -- Reads every counter and, where all that is wanted fits, writes it at once: the common case is one statement.
        with d as materialized (
            select u.o, u.lim, u.wanted, c.ctid as at, c.key is null as missing, d.idx, d.used,
                   case when u.shadow then greatest(0, least(u.wanted, u.lim - d.used)) else u.wanted end as charge,
                   u.shadow or d.used + u.wanted <= u.lim as fits
              from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_limits), pg_catalog.unnest(p_micros),
                              pg_catalog.unnest(p_wanted), pg_catalog.unnest(p_shadow))
                   with ordinality as u (key, lim, micros, wanted, shadow, o)
              left join penstock.counter c on c.key = u.key
             cross join lateral (select greatest(v_us / u.micros, c.idx) as idx,
                                        case when c.idx >= v_us / u.micros then c.used else 0 end as used) as d),
        f as materialized (
            select pg_catalog.bool_and(d.fits and not d.missing) as fits from d),
        w as (
            update penstock.counter c
               set used = case when c.idx = d.idx then c.used else 0 end + d.charge, idx = d.idx, lim = d.lim, at = v_now
              from d, f where f.fits and d.charge > 0 and c.ctid = d.at and c.idx <= d.idx
            returning c.used > d.lim as over)
        select (select f.fits from f), pg_catalog.array_agg(d.idx order by d.o), pg_catalog.array_agg(d.used order by d.o),
               pg_catalog.array_agg(d.charge order by d.o),
               pg_catalog.array_agg(greatest(0, d.lim - d.used - d.charge) order by d.o),
               pg_catalog.bool_or(d.charge < d.wanted), pg_catalog.count(*) filter (where d.charge > 0),
               (select pg_catalog.count(*) from w), (select pg_catalog.count(*) from w where w.over)
          into strict v_all, v_idx, v_used, v_charged, v_left, v_short, v_due, v_written, v_over
          from d;

        if not v_all then
            -- Groups in order of arrival, each as far as the tightest of its counters allows.
            select pg_catalog.array_agg(case when u.shadow then c_endless else greatest(0, u.lim - u.used) end order by u.o)
              into strict v_room
              from rows from (pg_catalog.unnest(p_limits), pg_catalog.unnest(v_used), pg_catalog.unnest(p_shadow))
                   with ordinality as u (lim, used, shadow, o);
            v_left := v_room;
            v_admitted := pg_catalog.array_fill(0::bigint, array[v_groups]);
            for g in 1 .. v_groups loop
                n := p_asked[g];
                for i in p_first[g] .. p_first[g + 1] - 1 loop
                    n := least(n, v_left[p_demand[i]] / p_amount[i]);
                end loop;
                if n > 0 then
                    v_admitted[g] := n;
                    for i in p_first[g] .. p_first[g + 1] - 1 loop
                        v_left[p_demand[i]] := v_left[p_demand[i]] - n * p_amount[i];
                    end loop;
                end if;
            end loop;

            select pg_catalog.array_agg(c.charge order by u.o),
                   pg_catalog.array_agg(greatest(0, u.lim - u.used - c.charge) order by u.o),
                   pg_catalog.count(*) filter (where c.charge > 0)
              into strict v_charged, v_left, v_due
              from rows from (pg_catalog.unnest(p_limits), pg_catalog.unnest(v_used), pg_catalog.unnest(p_shadow),
                              pg_catalog.unnest(v_room), pg_catalog.unnest(v_left))
                   with ordinality as u (lim, used, shadow, room, rest, o)
             cross join lateral (select case when u.shadow then greatest(0, least(u.room - u.rest, u.lim - u.used))
                                             else u.room - u.rest end as charge) as c;
            insert into penstock.counter (key, idx, used, lim, micros, at)
                select u.key, u.idx, 0, u.lim, u.micros, v_now
                  from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_limits), pg_catalog.unnest(p_micros),
                                  pg_catalog.unnest(v_idx), pg_catalog.unnest(v_charged))
                       as u (key, lim, micros, idx, charge)
                 where u.charge > 0 and not exists (select 1 from penstock.counter e where e.key = u.key);
            with w as (
                update penstock.counter c
                   set used = case when c.idx = u.idx then c.used else 0 end + u.charge,
                       idx = u.idx, lim = u.lim, at = v_now
                  from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_limits), pg_catalog.unnest(v_idx),
                                  pg_catalog.unnest(v_charged)) as u (key, lim, idx, charge)
                 where c.key = u.key and u.charge > 0 and c.idx <= u.idx
                returning c.used > u.lim as over)
            select pg_catalog.count(*), pg_catalog.count(*) filter (where w.over) into strict v_written, v_over from w;
        end if;
        if v_written <> v_due or v_over > 0 then
            raise exception 'ledger: % of % counters written, % over their limit: something writes without its lock',
                v_written, v_due, v_over;
        end if;
    end if;

    v_any := v_all or 0 < any (v_admitted);
    if v_any and v_calls > 0 then
        insert into penstock.journal (at, kind, call, incarnation, lane, seq, epoch, revision,
                                      tenant, agent, server, tool, method)
            select v_now, 'intent', u.call::pg_catalog.uuid, p_incarnation, p_lane, p_seq, p_epoch, v_revision,
                   p_tenants[u.subject], p_agents[u.subject], p_servers[u.subject], p_tools[u.subject],
                   p_methods[u.subject]
              from rows from (pg_catalog.unnest(p_calls), pg_catalog.unnest(p_group), pg_catalog.unnest(p_rank),
                              pg_catalog.unnest(p_subject)) as u (call, grp, rank, subject)
             where v_all or u.rank < v_admitted[u.grp];
    end if;
    if v_any then
        update penstock.lane l
           set at_us = v_us, admitted = v_admitted::smallint[],
               charged = case when v_all and not v_short then null else v_charged end
         where l.incarnation = p_incarnation and l.lane = p_lane;
    end if;
    return array[0, v_us, v_wait_us, v_all::integer] || v_idx || v_left || v_charged || v_admitted;
end $$;

-- Undoes the batch `p_seq` whose answer was lost. Where it is in, its units go back as far as their window is still
-- the counter's, the journal says that its calls were not sent, and a second time there is nothing left to undo. Where
-- it is not in, its number is used up, so that it can never be applied. Returns 0 it was not in, 1 undone now, 2 nothing
-- (left) to undo, 3 superseded.
create function penstock.resolve_v1(
    p_incarnation uuid, p_lane smallint, p_seq bigint, p_wait_ms integer,
    p_keys text[], p_micros bigint[], p_wanted bigint[],
    p_asked integer[], p_calls text[], p_group integer[], p_rank integer[])
returns integer language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_set        pg_catalog.text;
    v_lane       penstock.lane;
    v_charged    bigint[];
    v_now        timestamp with time zone;
begin
    if pg_catalog.current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        v_set := pg_catalog.set_config('synchronous_commit', 'on', true);
    end if;
    v_set := pg_catalog.set_config('lock_timeout', p_wait_ms::pg_catalog.text, true);
    select l.* into v_lane from penstock.lane l
     where l.incarnation = p_incarnation and l.lane = p_lane for update;
    if v_lane.seq is null or v_lane.fenced then
        return 3;
    end if;
    if v_lane.seq < p_seq then
        update penstock.lane l set seq = p_seq, at_us = null, admitted = null, charged = null
         where l.incarnation = p_incarnation and l.lane = p_lane;
        return 0;
    end if;
    if v_lane.seq > p_seq or v_lane.at_us is null then
        return 2;
    end if;

    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(p_keys) as k (key) order by 1) as s;
    v_now := pg_catalog.clock_timestamp();
    v_charged := coalesce(v_lane.charged, p_wanted);
    update penstock.counter c set used = greatest(0, c.used - u.charge), at = v_now
      from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_micros), pg_catalog.unnest(v_charged))
           as u (key, micros, charge)
     where c.key = u.key and u.charge > 0 and c.idx = v_lane.at_us / u.micros;
    insert into penstock.journal (at, kind, call, incarnation, lane, seq, outcome, admitted_at)
        select v_now, 'outcome', u.call::pg_catalog.uuid, p_incarnation, p_lane, p_seq, 'not-sent',
               pg_catalog.to_timestamp(0) + v_lane.at_us * interval '1 microsecond'
          from rows from (pg_catalog.unnest(p_calls), pg_catalog.unnest(p_group), pg_catalog.unnest(p_rank))
               as u (call, grp, rank)
         where v_lane.admitted is null or u.rank < v_lane.admitted[u.grp];
    update penstock.lane l set at_us = null, admitted = null, charged = null
     where l.incarnation = p_incarnation and l.lane = p_lane;
    return 1;
end $$;

-- Returns the units of calls that were admitted and never sent, only while the window that was charged is still the
-- counter's, and journals them. A repeat after a lost answer changes nothing. Returns 0 done, 1 was done before,
-- 3 superseded.
create function penstock.give_back_v1(
    p_incarnation uuid, p_lane smallint, p_seq bigint, p_wait_ms integer,
    p_keys text[], p_idx bigint[], p_amount bigint[], p_calls text[], p_admitted_us bigint[])
returns integer language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_set        pg_catalog.text;
    v_seq        bigint;
    v_fenced     boolean;
    v_now        timestamp with time zone;
begin
    if pg_catalog.current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        v_set := pg_catalog.set_config('synchronous_commit', 'on', true);
    end if;
    v_set := pg_catalog.set_config('lock_timeout', p_wait_ms::pg_catalog.text, true);
    select l.seq, l.fenced into v_seq, v_fenced from penstock.lane l
     where l.incarnation = p_incarnation and l.lane = p_lane for update;
    if v_seq is null or v_fenced then
        return 3;
    end if;
    if v_seq >= p_seq then
        return 1;
    end if;
    update penstock.lane l set seq = p_seq, at_us = null, admitted = null, charged = null
     where l.incarnation = p_incarnation and l.lane = p_lane;
    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(p_keys) as k (key) order by 1) as s;
    v_now := pg_catalog.clock_timestamp();
    update penstock.counter c set used = greatest(0, c.used - u.amount), at = v_now
      from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_idx), pg_catalog.unnest(p_amount))
           as u (key, idx, amount)
     where c.key = u.key and c.idx = u.idx;
    insert into penstock.journal (at, kind, call, incarnation, lane, seq, outcome, admitted_at)
        select v_now, 'outcome', u.call::pg_catalog.uuid, p_incarnation, p_lane, p_seq, 'not-sent',
               pg_catalog.to_timestamp(0) + u.at * interval '1 microsecond'
          from rows from (pg_catalog.unnest(p_calls), pg_catalog.unnest(p_admitted_us)) as u (call, at);
    return 0;
end $$;

-- Ends every lane of an incarnation: what it has not committed by now it never will. Waits for its running batches.
create function penstock.fence_lanes_v1(p_incarnation uuid) returns integer
language plpgsql volatile security definer as $$
declare
    v_count integer;
begin
    perform 1 from penstock.lane l where l.incarnation = p_incarnation order by l.lane for update;
    update penstock.lane l set fenced = true where l.incarnation = p_incarnation and not l.fenced;
    get diagnostics v_count = row_count;
    return v_count;
end $$;

-- One round of the leader's housekeeping: forgets counters 24 h after their window (a clock that steps back must still
-- find them) and lanes of incarnations that membership has forgotten, at most 500 of each. Returns how many went.
create function penstock.sweep_counters_v1(p_incarnation uuid, p_term bigint) returns integer
language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_us         bigint;
    v_keys       pg_catalog.text[];
    v_counters   integer;
    v_lanes      integer;
begin
    perform penstock.hold_duty_v1('sweep', p_incarnation, p_term);
    delete from penstock.lane l
     where (l.incarnation, l.lane) in (
         select o.incarnation, o.lane from penstock.lane o
          where not exists (select 1 from penstock.replica r where r.incarnation = o.incarnation) limit 500);
    get diagnostics v_lanes = row_count;

    v_us := (extract(epoch from pg_catalog.clock_timestamp() - interval '24 hours') * 1000000)::bigint;
    select pg_catalog.array_agg(o.key) into v_keys
      from (select c.key from penstock.counter c where (c.idx + 1) * c.micros < v_us limit 500) as o;
    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(v_keys) as k (key) order by 1) as s;
    delete from penstock.counter c
     where c.key = any (v_keys) and (c.idx + 1) * c.micros < v_us;
    get diagnostics v_counters = row_count;
    return v_counters + v_lanes;
end $$;

-- Reads a counter's key: [shadow/]LEN:NAME WINDOW part*, each value after its length in characters. A key that does not
-- read so gives nulls: it must not hide the others from an operator.
create function penstock.counter_key_v1(p_key text)
returns table (shadow boolean, budget text, scope jsonb)
language plpgsql immutable as $$
declare
    v_rest pg_catalog.text := p_key;
    v_kind pg_catalog.text;
    v_name pg_catalog.text;
    v_len  integer;
begin
    shadow := pg_catalog.starts_with(v_rest, 'shadow/');
    if shadow then
        v_rest := pg_catalog.substr(v_rest, 8);
    end if;
    v_len := pg_catalog.split_part(v_rest, ':', 1)::integer;
    v_rest := pg_catalog.substr(v_rest, pg_catalog.strpos(v_rest, ':') + 1);
    budget := pg_catalog.left(v_rest, v_len);
    v_rest := pg_catalog.substr(v_rest, v_len + 1);
    v_rest := pg_catalog.regexp_replace(v_rest, '^[CMTBK]f[0-9]+', '');
    scope := '{}';
    while v_rest <> '' loop
        v_kind := pg_catalog.left(v_rest, 1);
        v_rest := pg_catalog.substr(v_rest, 2);
        foreach v_name in array case v_kind
            when 't' then array['tenant'] when 'a' then array['tenant', 'agent'] when 's' then array['server']
            when 'o' then array['server', 'tool'] else array['tenant', 'agent', 'session'] end loop
            v_len := pg_catalog.split_part(v_rest, ':', 1)::integer;
            v_rest := pg_catalog.substr(v_rest, pg_catalog.strpos(v_rest, ':') + 1);
            scope := scope || pg_catalog.jsonb_build_object(v_name, pg_catalog.left(v_rest, v_len));
            v_rest := pg_catalog.substr(v_rest, v_len + 1);
        end loop;
    end loop;
    return next;
exception when data_exception then
    budget := null;
    scope := null;
    return next;
end $$;

-- Usage now: a counter whose window is over shows 0 used. The limit is the one it was last judged by.
create view penstock.budget_usage as
    select k.budget, k.scope, k.shadow, c.micros as window_us, n.idx as window_index,
           case when c.idx = n.idx then c.used else 0 end as used, c.lim as "limit",
           pg_catalog.to_timestamp(0) + (n.idx + 1) * c.micros * interval '1 microsecond' as ends_at,
           c.at as updated_at, c.key
      from penstock.counter c
     cross join lateral penstock.counter_key_v1(c.key) k
     cross join lateral (select greatest(c.idx,
               (extract(epoch from pg_catalog.clock_timestamp()) * 1000000)::bigint / c.micros) as idx) n;

revoke all on all routines in schema penstock from public;
grant execute on function
    penstock.open_lane_v1, penstock.admit_v1, penstock.resolve_v1, penstock.give_back_v1, penstock.sweep_counters_v1,
    penstock.counter_key_v1
    to penstock_gateway;
grant execute on function penstock.counter_key_v1 to penstock_operator;
grant select on penstock.budget_usage to penstock_gateway, penstock_operator;
