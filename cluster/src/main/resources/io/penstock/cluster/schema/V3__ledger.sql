-- The ledger: one row per counter, one row per lane, and the transaction that admits.
--
-- Exactness rests on three rules that hold for everything that writes a counter:
--   1. Lock order: lane row, shards ascending (in a statement of their own), rows.
--   2. What is read is read by a statement that began after the locks were held. A statement's snapshot is older than
--      the locks it takes itself: the same logic in one statement admits too much (a test keeps such a twin and sees it
--      fail).
--   3. The clock is read once, after the locks, and a counter's window number never goes back.
-- Whoever waits for a lock waits for a bounded time: it holds others meanwhile, which admissions need.
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

-- One counter. `kind` says how to read it: 0 numbered windows (fixed, lifetime, open), 1 days, 2 weeks, 3 months,
-- 4 sessions, 5 sliding, 6 rate. No index on what changes: an update stays in its page.
create table penstock.counter (
    key     text        collate "C" primary key,
    kind    smallint    not null,
    idx     bigint      not null,                    -- number of the window that `used` belongs to (5: the newest
                                                     -- granule; 6: the arrival time, whole microseconds)
    used    bigint      not null,                    -- 6: the arrival time's rest, in 1/lim microseconds
    held    bigint      not null default 0,          -- units of it that calls in flight hold
    lim     bigint      not null,                    -- the limit it was last judged by
    ends_us bigint,                                  -- when nothing of it counts any more; null: never
    at      timestamptz not null,                    -- last charged (4: never back, so that a clock that steps back
                                                     -- ends no session)
    state   bigint[]                                 -- 5: units of 51 granules, newest first; 6: {burst, period}
) with (fillfactor = 50);

-- What a call in flight holds: units whose price is known afterwards, and concurrency slots. Deleting the row is what
-- gives its units back or spends them, so it happens once.
create table penstock.hold (
    call        uuid        not null,
    key         text        collate "C" not null,
    idx         bigint      not null,                -- the window that was charged
    amount      bigint      not null,
    slot        boolean     not null,
    incarnation uuid        not null,
    ends_by     timestamptz not null,                -- the call is over by then
    at_us       bigint      not null,                -- when it was charged
    primary key (call, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The number of the local date that holds a moment. Inlined where it is used.
create function penstock.date_number_v1(p_kind integer, p_zone text, p_at timestamptz) returns bigint
language sql immutable return
    case p_kind
        when 1 then ((p_at at time zone p_zone)::date - '1970-01-01'::date)::bigint
        when 2 then (((p_at at time zone p_zone)::date - '1970-01-01'::date + 3) / 7)::bigint
        else (extract(year from p_at at time zone p_zone) * 12 + extract(month from p_at at time zone p_zone) - 1)::bigint
    end;

-- When the local date of that number begins.
create function penstock.date_start_v1(p_kind integer, p_zone text, p_number bigint) returns timestamptz
language sql immutable return
    case p_kind
        when 1 then ('1970-01-01'::date + p_number::integer)::timestamp at time zone p_zone
        when 2 then ('1970-01-01'::date + (p_number * 7 - 3)::integer)::timestamp at time zone p_zone
        else pg_catalog.make_date((p_number / 12)::integer, (p_number % 12)::integer + 1, 1)::timestamp at time zone p_zone
    end;

create function penstock.micros_v1(p_at timestamptz) returns bigint
language sql immutable return (extract(epoch from p_at) * 1000000)::bigint;

-- Reads counters as they are at a moment, each distinct one once: the number of its window now, what is used and held of
-- it, and the room. Limits and window lengths come with the question; a counter that is not there yet is empty.
--   p_micros   0 the window, 4 the idle time, 5 the granule, 6 the period
--   tat, rest  a rate's arrival time under that limit; drop: granules that a sliding window has left behind
create function penstock.counters_at_v1(
    p_keys text[], p_limits bigint[], p_micros bigint[], p_kinds integer[], p_zones text[], p_bursts bigint[],
    p_now timestamptz, p_us bigint)
returns table (o bigint, kind integer, lim bigint, micros bigint, zone text, burst bigint, missing boolean, place tid,
               idx bigint, used bigint, held bigint, room bigint, tat bigint, rest bigint, drop integer)
language sql stable as $$
    select u.o, n.kind, u.lim, u.micros, u.zone, u.burst, c.key is null, c.ctid, i.idx, s.used,
           case when n.kind >= 5 or c.idx = i.idx then coalesce(c.held, 0) else 0 end,
           case when n.kind <> 6 then greatest(0, u.lim - s.used)
                when u.lim = 0 or t.tat - p_us > u.burst * u.micros / u.lim then 0
                else greatest(0, (u.burst * u.micros
                                  - case when t.tat < p_us then 0 else (t.tat - p_us) * u.lim + t.rest end) / u.micros) end,
           t.tat, t.rest, d.drop
      from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_limits), pg_catalog.unnest(p_micros),
                      pg_catalog.unnest(p_kinds), pg_catalog.unnest(p_zones), pg_catalog.unnest(p_bursts))
           with ordinality as u (key, lim, micros, kind, zone, burst, o)
      left join penstock.counter c on c.key = u.key
     cross join lateral (select coalesce(u.kind, 0) as kind) n
     cross join lateral (
        select case n.kind
                when 0 then greatest(p_us / u.micros, c.idx)
                when 4 then case when c.at + u.micros * interval '1 microsecond' >= p_now then c.idx
                                 else greatest(p_us, c.idx) end
                when 5 then greatest(p_us / u.micros, c.idx)
                when 6 then p_us
                else greatest(penstock.date_number_v1(n.kind, u.zone, p_now), c.idx) end as idx) i
     cross join lateral (
        select case when n.kind = 5 and c.key is not null then least(51, i.idx - c.idx)::integer else 0 end as drop) d
     cross join lateral (
        select case when n.kind = 6 or c.key is null then 0
                    when n.kind <> 5 then case when c.idx = i.idx then c.used else 0 end
                    when d.drop = 0 then c.used
                    else c.used - coalesce((select pg_catalog.sum(g.units) from pg_catalog.unnest(c.state[52 - d.drop : 51])
                                             as g (units)), 0)::bigint end as used) s
     cross join lateral (
        select case when n.kind <> 6 then null when c.key is null then 0
                    when c.lim = u.lim then c.idx else c.idx + (c.used > 0)::integer end as tat,
               case when n.kind = 6 and c.lim = u.lim then c.used else 0 end as rest) t
$$;

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

-- Us until units of each counter come back by themselves; -1 never. Reads what this transaction has written.
create function penstock.back_at_v1(
    p_keys text[], p_limits bigint[], p_micros bigint[], p_kinds integer[], p_zones text[], p_bursts bigint[],
    p_now timestamptz, p_us bigint)
returns bigint[] language sql volatile as $$
    select pg_catalog.array_agg(
        case r.kind
            when 0 then case when r.micros = 4611686018427387904 then -1 else (r.idx + 1) * r.micros - p_us end
            when 4 then r.micros
            when 5 then coalesce(
                (select (r.idx - r.drop - pg_catalog.max(g.o) + 52) * r.micros - p_us
                   from penstock.counter c, pg_catalog.unnest(c.state[1 : 51 - r.drop]) with ordinality as g (units, o)
                  where c.ctid = r.place and g.units > 0), 0)
            when 6 then case
                when r.lim = 0 then -1
                when r.room >= r.burst then 0
                else greatest(0, pg_catalog.ceil(
                    ((r.tat - p_us)::numeric * r.lim + r.rest - (r.burst - r.room - 1)::numeric * r.micros) / r.lim))::bigint end
            else penstock.micros_v1(penstock.date_start_v1(r.kind, r.zone, r.idx + 1)) - p_us end order by r.o)
      from penstock.counters_at_v1(p_keys, p_limits, p_micros, p_kinds, p_zones, p_bursts, p_now, p_us) r
$$;

-- Decides one batch. Called alone, in autocommit, by the one class that owns lanes.
--
--   p_keys, p_limits, p_micros, p_wanted, p_shadow   each distinct counter once; wanted = if every call were admitted
--   p_kinds, p_zones, p_bursts                       null where all are numbered windows; see counters_at_v1
--   p_asked, p_first, p_demand, p_amount             groups in order of arrival; the charges of group g are those from
--                                                    p_first[g] to p_first[g + 1] - 1, each on counter p_demand[i]
--   p_holding                                        units per counter that would be held if every call were admitted
--   p_hold, p_limit_ms                               per charge: 0 spent, 1 held for its price, 2 a slot; per call: how
--                                                    long it may hold; all three null where nothing is held
--   p_calls, p_group, p_rank, p_subject              calls in order of arrival; empty where nothing is journaled
--   p_tenants, p_agents, p_servers, p_tools, p_methods   each distinct subject once, by p_subject
--
-- A counter that does not limit (shadow) is charged for the calls that fit as they come, in full, and not for the others.
--
-- Returns {status, now, lock wait in us, all, idx.., room.., held.., back.., charged.., admitted..}: one of each per
-- counter, admitted per group. room: before this batch; held: after it. back, us until units come back by themselves, -1
-- never, is missing where all are numbered windows (the caller can tell); charged and admitted are missing where `all` is
-- 1. Status 0 decided, 1 replan, 2 late, 3 superseded.
create function penstock.admit_v1(
    p_incarnation uuid, p_lane smallint, p_seq bigint, p_epoch bigint, p_wait_ms integer,
    p_keys text[], p_limits bigint[], p_micros bigint[], p_wanted bigint[], p_shadow boolean[],
    p_kinds integer[], p_zones text[], p_bursts bigint[],
    p_asked integer[], p_first integer[], p_demand integer[], p_amount bigint[],
    p_holding bigint[], p_hold integer[], p_limit_ms bigint[],
    p_calls text[], p_group integer[], p_rank integer[], p_subject integer[],
    p_tenants text[], p_agents text[], p_servers text[], p_tools text[], p_methods text[])
returns bigint[] language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    c_never      constant bigint  := 4611686018427387904;
    v_counters   constant integer := pg_catalog.cardinality(p_keys);
    v_groups     constant integer := pg_catalog.cardinality(p_asked);
    v_calls      constant integer := pg_catalog.cardinality(p_calls);
    v_plain      constant boolean := p_kinds is null;
    v_set        pg_catalog.text;
    v_wait_us    bigint;
    v_epoch      bigint;
    v_revision   bigint;
    v_now        timestamp with time zone;
    v_us         bigint;
    v_all        boolean := true;
    v_idx        bigint[];
    v_room       bigint[];
    v_left       bigint[];
    v_charged    bigint[];
    v_held       bigint[];
    v_back       bigint[];
    v_fit        bigint[];
    v_admitted   bigint[];
    v_more       bigint[];
    v_written    bigint;
    v_over       boolean;
    v_due        bigint;
    v_missing    boolean;
    n            bigint;
    f            bigint;
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

    if v_counters > 0 and v_plain then
        select pg_catalog.bool_and(d.wanted <= d.lim - d.used), pg_catalog.bool_or(d.missing), pg_catalog.array_agg(d.idx),
               pg_catalog.array_agg(d.held), pg_catalog.array_agg(greatest(0, d.lim - d.used))
          into strict v_all, v_missing, v_idx, v_held, v_room
          from (select p_limits[u.o] as lim, p_wanted[u.o] as wanted, c.key is null as missing,
                       greatest(v_us / p_micros[u.o], c.idx) as idx,
                       case when c.idx >= v_us / p_micros[u.o] then c.used else 0 end as used,
                       case when c.idx >= v_us / p_micros[u.o] then c.held else 0 end as held
                  from pg_catalog.generate_series(1, v_counters) as u (o)
                  left join penstock.counter c on c.key = p_keys[u.o]
                 order by u.o) as d;
    elsif v_counters > 0 then
        select pg_catalog.bool_and(p_wanted[r.o] <= r.room), pg_catalog.bool_or(r.missing), pg_catalog.array_agg(r.idx order by r.o),
               pg_catalog.array_agg(r.held order by r.o), pg_catalog.array_agg(r.room order by r.o)
          into strict v_all, v_missing, v_idx, v_held, v_room
          from penstock.counters_at_v1(p_keys, p_limits, p_micros, p_kinds, p_zones, p_bursts, v_now, v_us) r;
    end if;
    v_charged := p_wanted;

    if not v_all then
        -- Groups in order of arrival, each as far as the tightest of its counters allows.
        v_left := v_room;
        v_admitted := pg_catalog.array_fill(0::bigint, array[v_groups]);
        v_fit := pg_catalog.array_fill(0::bigint, array[pg_catalog.cardinality(p_demand)]);
        for g in 1 .. v_groups loop
            n := p_asked[g];
            for i in p_first[g] .. p_first[g + 1] - 1 loop
                if not p_shadow[p_demand[i]] then
                    n := least(n, v_left[p_demand[i]] / p_amount[i]);
                end if;
            end loop;
            if n > 0 then
                v_admitted[g] := n;
                for i in p_first[g] .. p_first[g + 1] - 1 loop
                    f := n;
                    if p_shadow[p_demand[i]] then
                        f := least(n, v_left[p_demand[i]] / p_amount[i]);
                    end if;
                    v_fit[i] := f;
                    v_left[p_demand[i]] := v_left[p_demand[i]] - f * p_amount[i];
                end loop;
            end if;
        end loop;
        select pg_catalog.array_agg(u.room - u.rest order by u.o) into strict v_charged
          from rows from (pg_catalog.unnest(v_room), pg_catalog.unnest(v_left)) with ordinality as u (room, rest, o);
    end if;

    if v_counters > 0 then
        v_more := p_holding;
        if p_hold is not null and not v_all then
            v_more := pg_catalog.array_fill(0::bigint, array[v_counters]);
            for i in 1 .. pg_catalog.cardinality(p_hold) loop
                if p_hold[i] > 0 then
                    v_more[p_demand[i]] := v_more[p_demand[i]] + v_fit[i] * p_amount[i];
                end if;
            end loop;
        end if;
        if p_hold is not null then
            select pg_catalog.array_agg(u.held + u.more order by u.o) into strict v_held
              from rows from (pg_catalog.unnest(v_held), pg_catalog.unnest(v_more)) with ordinality as u (held, more, o);
        end if;
        if v_missing then
            insert into penstock.counter (key, kind, idx, used, lim, at, state)
                select u.key, coalesce(u.kind, 0), case when u.kind = 6 then 0 else u.idx end, 0, u.lim,
                       '-infinity', case u.kind when 5 then pg_catalog.array_fill(0::bigint, array[51])
                                                when 6 then array[u.burst, u.micros] end
                  from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_limits), pg_catalog.unnest(p_micros),
                                  pg_catalog.unnest(p_kinds), pg_catalog.unnest(p_bursts), pg_catalog.unnest(v_idx),
                                  pg_catalog.unnest(v_charged))
                       as u (key, lim, micros, kind, burst, idx, charge)
                 where u.charge > 0 and not exists (select 1 from penstock.counter e where e.key = u.key);
        end if;
        v_due := v_counters;
        if not v_all then
            select pg_catalog.count(*) into strict v_due from pg_catalog.unnest(v_charged) as u (charge) where u.charge > 0;
        end if;
        if v_plain then
            with w as (
                update penstock.counter c
                   set used = case when c.idx = v_idx[u.o] then c.used else 0 end + v_charged[u.o], held = v_held[u.o],
                       idx = v_idx[u.o], lim = p_limits[u.o], at = v_now,
                       ends_us = case when p_micros[u.o] = c_never then null else (v_idx[u.o] + 1) * p_micros[u.o] end
                  from pg_catalog.generate_series(1, v_counters) as u (o)
                 where c.key = p_keys[u.o] and v_charged[u.o] > 0 and c.idx <= v_idx[u.o]
                returning c.used > c.lim as over)
            select pg_catalog.count(*), pg_catalog.bool_or(w.over) into strict v_written, v_over from w;
        else
            with r as materialized (
                select r.*, v_charged[r.o] as charge, v_held[r.o] as holding
                  from penstock.counters_at_v1(p_keys, p_limits, p_micros, p_kinds, p_zones, p_bursts, v_now, v_us) r),
            w as (
                update penstock.counter c
                   set idx = case when r.kind <> 6 then r.idx
                                  else t.base + (t.rest + r.charge * r.micros) / r.lim end,
                       used = case when r.kind <> 6 then r.used + r.charge
                                   else (t.rest + r.charge * r.micros) % r.lim end,
                       held = r.holding, lim = r.lim,
                       at = case when r.kind = 4 then greatest(c.at, v_now) else v_now end,
                       ends_us = case r.kind
                           when 0 then case when r.micros = c_never then null else (r.idx + 1) * r.micros end
                           when 4 then v_us + r.micros
                           when 5 then (r.idx + 51) * r.micros
                           when 6 then t.base + (t.rest + r.charge * r.micros) / r.lim + 1
                           else penstock.micros_v1(penstock.date_start_v1(r.kind, r.zone, r.idx + 1)) end,
                       state = case r.kind
                           when 5 then case when r.drop = 0 then array[c.state[1] + r.charge] || c.state[2:51]
                                            else array[r.charge] || pg_catalog.array_fill(0::bigint, array[r.drop - 1])
                                                 || c.state[1 : 51 - r.drop] end
                           when 6 then array[r.burst, r.micros] end
                  from r cross join lateral (select greatest(r.tat, v_us) as base,
                                                    case when r.tat >= v_us then r.rest else 0 end as rest) t
                 where r.charge > 0 and c.ctid = r.place and (r.kind = 6 or c.idx <= r.idx)
                returning case when r.kind = 6 then r.charge > r.room else c.used > r.lim end as over)
            select pg_catalog.count(*), pg_catalog.bool_or(w.over) into strict v_written, v_over from w;
        end if;
        if v_written <> v_due or v_over then
            raise exception 'ledger: % of % counters written, over their limit: %; something writes without its lock',
                v_written, v_due, coalesce(v_over, false);
        end if;
        if not v_plain then
            v_back := penstock.back_at_v1(p_keys, p_limits, p_micros, p_kinds, p_zones, p_bursts, v_now, v_us);
        end if;
    end if;

    if v_calls > 0 and (v_all or 0 < any (v_admitted)) then
        insert into penstock.journal (at, kind, call, incarnation, lane, seq, epoch, revision,
                                      tenant, agent, server, tool, method)
            select v_now, 'intent', p_calls[u.i]::pg_catalog.uuid, p_incarnation, p_lane, p_seq, p_epoch, v_revision,
                   p_tenants[p_subject[u.i]], p_agents[p_subject[u.i]], p_servers[p_subject[u.i]],
                   p_tools[p_subject[u.i]], p_methods[p_subject[u.i]]
              from pg_catalog.generate_series(1, v_calls) as u (i)
             where v_all or p_rank[u.i] < v_admitted[p_group[u.i]];
        if p_hold is not null then
            insert into penstock.hold (call, key, idx, amount, slot, incarnation, ends_by, at_us)
                select u.call::pg_catalog.uuid, p_keys[p_demand[c.i]], v_idx[p_demand[c.i]], p_amount[c.i], p_hold[c.i] = 2,
                       p_incarnation,
                       v_now + u.ms * interval '1 millisecond', v_us
                  from rows from (pg_catalog.unnest(p_calls), pg_catalog.unnest(p_group), pg_catalog.unnest(p_rank),
                                  pg_catalog.unnest(p_limit_ms)) as u (call, grp, rank, ms)
                 cross join lateral pg_catalog.generate_series(p_first[u.grp], p_first[u.grp + 1] - 1) as c (i)
                 where p_hold[c.i] > 0 and u.rank < case when v_all then p_asked[u.grp] else v_fit[c.i] end;
        end if;
    end if;
    if v_all or 0 < any (v_admitted) then
        update penstock.lane l
           set at_us = v_us, admitted = v_admitted::smallint[], charged = case when v_all then null else v_charged end
         where l.incarnation = p_incarnation and l.lane = p_lane;
    end if;
    if v_all then
        return array[0, v_us, v_wait_us, 1] || v_idx || v_room || v_held || v_back;
    end if;
    return array[0, v_us, v_wait_us, 0] || v_idx || v_room || v_held || v_back || v_charged || v_admitted;
end $$;

-- Changes what was charged before, under the shards of those keys: adds to `used` and takes from it in the window that
-- was charged, as far as it still counts, and ends holds. A window that is over is left alone. Each (key, idx) once.
-- A rate gives units back only while nothing was charged since: later charges rest on the earlier ones.
-- What a call turned out to cost may be above any limit: a counter stops at 2^62 (a rate's arrival time too, in the year
-- 148,000) rather than keep a whole transaction of other calls' ends from being written.
create function penstock.adjust_v1(p_keys text[], p_idx bigint[], p_more bigint[], p_less bigint[], p_held bigint[])
returns void
language plpgsql volatile as $$
declare
    c_most  constant numeric := 4611686018427387904;
    v_row   pg_catalog.record;
    v_to    penstock.counter;
    v_place bigint;
    v_units bigint;
    v_was   numeric;
    v_sum   numeric;
    v_lim   numeric;
begin
    update penstock.counter c
       set used = least(c_most, greatest(0, c.used::numeric + u.more - u.less)), held = greatest(0, c.held - u.held)
      from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_idx), pg_catalog.unnest(p_more),
                      pg_catalog.unnest(p_less), pg_catalog.unnest(p_held)) as u (key, idx, more, less, held)
     where c.key = u.key and c.kind < 5 and c.idx = u.idx;
    for v_row in
        select c.key, c.kind, u.idx, u.more, u.less, u.held
          from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_idx), pg_catalog.unnest(p_more),
                          pg_catalog.unnest(p_less), pg_catalog.unnest(p_held)) as u (key, idx, more, less, held)
          join penstock.counter c on c.key = u.key
         where c.kind >= 5
    loop
        select c.* into strict v_to from penstock.counter c where c.key = v_row.key;
        if v_row.kind = 5 then
            v_place := v_to.idx - v_row.idx + 1;
            if v_place between 1 and 51 then
                v_units := least(c_most - (v_to.used - v_to.state[v_place]),
                                 greatest(0, v_to.state[v_place]::numeric + v_row.more - v_row.less));
                v_to.used := v_to.used + v_units - v_to.state[v_place];
                v_to.state[v_place] := v_units;
            end if;
        else
            v_lim := greatest(1, v_to.lim);
            v_was := v_to.idx * v_lim + v_to.used;
            v_sum := v_was + v_row.more::numeric * v_to.state[2];
            if penstock.micros_v1(v_to.at) = v_row.idx then
                v_sum := v_sum - v_row.less::numeric * v_to.state[2];
            end if;
            v_sum := greatest(0, least(v_sum, greatest(v_was, c_most * v_lim)));
            v_to.idx := pg_catalog.div(v_sum, v_lim);
            v_to.used := v_sum - v_to.idx * v_lim;
            v_to.ends_us := v_to.idx + 1;
        end if;
        update penstock.counter c
           set idx = v_to.idx, used = v_to.used, ends_us = v_to.ends_us, state = v_to.state,
               held = greatest(0, c.held - v_row.held)
         where c.key = v_row.key;
    end loop;
end $$;

-- Undoes the batch `p_seq` whose answer was lost. Where it is in, its units go back as far as their window is still
-- the counter's, its holds end, the journal says that its calls were not sent, and a second time there is nothing left
-- to undo. Where it is not in, its number is used up, so that it can never be applied. Returns 0 it was not in, 1 undone
-- now, 2 nothing (left) to undo, 3 superseded.
create function penstock.resolve_v1(
    p_incarnation uuid, p_lane smallint, p_seq bigint, p_wait_ms integer,
    p_keys text[], p_micros bigint[], p_kinds integer[], p_zones text[], p_wanted bigint[],
    p_asked integer[], p_calls text[], p_group integer[], p_rank integer[])
returns integer language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_set        pg_catalog.text;
    v_lane       penstock.lane;
    v_at         timestamp with time zone;
    v_keys       pg_catalog.text[];
    v_idx        bigint[];
    v_more       bigint[];
    v_less       bigint[];
    v_held       bigint[];
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
    v_at := pg_catalog.to_timestamp(0) + v_lane.at_us * interval '1 microsecond';
    with gone as (
        delete from penstock.hold h where h.call = any (p_calls::pg_catalog.uuid[]) returning h.key, h.idx, h.amount),
    a as (
        select c.key, c.idx, pg_catalog.sum(greatest(0, c.delta))::bigint as more,
               pg_catalog.sum(greatest(0, - c.delta))::bigint as less, pg_catalog.sum(c.held)::bigint as held
          from (select gone.key, gone.idx, 0 as delta, gone.amount as held from gone
                union all
                select u.key, case coalesce(u.kind, 0)
                                  when 0 then v_lane.at_us / u.micros
                                  when 4 then case when c.idx <= v_lane.at_us then c.idx else v_lane.at_us end
                                  when 5 then v_lane.at_us / u.micros
                                  when 6 then v_lane.at_us
                                  else penstock.date_number_v1(u.kind, u.zone, v_at) end, - u.charge, 0
                  from rows from (pg_catalog.unnest(p_keys), pg_catalog.unnest(p_micros), pg_catalog.unnest(p_kinds),
                                  pg_catalog.unnest(p_zones), pg_catalog.unnest(coalesce(v_lane.charged, p_wanted)))
                       as u (key, micros, kind, zone, charge)
                  join penstock.counter c on c.key = u.key
                 where u.charge > 0) as c
         group by c.key, c.idx)
    select pg_catalog.array_agg(a.key), pg_catalog.array_agg(a.idx), pg_catalog.array_agg(a.more),
           pg_catalog.array_agg(a.less), pg_catalog.array_agg(a.held)
      into v_keys, v_idx, v_more, v_less, v_held from a;
    perform penstock.adjust_v1(v_keys, v_idx, v_more, v_less, v_held);
    insert into penstock.journal (at, kind, call, incarnation, lane, seq, outcome, admitted_at)
        select v_now, 'outcome', u.call::pg_catalog.uuid, p_incarnation, p_lane, p_seq, 'not-sent', v_at
          from rows from (pg_catalog.unnest(p_calls), pg_catalog.unnest(p_group), pg_catalog.unnest(p_rank))
               as u (call, grp, rank)
         where v_lane.admitted is null or u.rank < v_lane.admitted[u.grp];
    update penstock.lane l set at_us = null, admitted = null, charged = null
     where l.incarnation = p_incarnation and l.lane = p_lane;
    return 1;
end $$;

-- What comes back after calls, in one transaction: units of calls that were admitted and never sent (refunds, and the
-- calls for the journal), and the ends of holds. A repeat after a lost answer changes nothing: the number is used up, and
-- a hold that is gone is left alone. Returns 0 done, 1 was done before, 3 superseded.
--   p_keys, p_budgets       every counter that is touched, once, and its budget's name
--   p_ref_*                 refunds: counter by number, the window that was charged, units
--   p_hold_*                holds: call, counter by number, what the call cost, 0 settled 1 in full 2 released 3 overrun
create function penstock.settle_v1(
    p_incarnation uuid, p_lane smallint, p_seq bigint, p_wait_ms integer,
    p_keys text[], p_budgets text[],
    p_ref_key integer[], p_ref_idx bigint[], p_ref_amount bigint[], p_calls text[], p_admitted_us bigint[],
    p_hold_call text[], p_hold_key integer[], p_hold_actual bigint[], p_hold_fate integer[])
returns integer language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_set        pg_catalog.text;
    v_seq        bigint;
    v_fenced     boolean;
    v_now        timestamp with time zone;
    v_keys       pg_catalog.text[];
    v_idx        bigint[];
    v_more       bigint[];
    v_less       bigint[];
    v_held       bigint[];
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

    with gone as (
        delete from penstock.hold h
         using rows from (pg_catalog.unnest(p_hold_call), pg_catalog.unnest(p_hold_key), pg_catalog.unnest(p_hold_actual),
                          pg_catalog.unnest(p_hold_fate)) as u (call, key, actual, fate)
         where h.call = u.call::pg_catalog.uuid and h.key = p_keys[u.key]
        returning h.call, h.key, h.idx, h.amount, h.slot, h.at_us, u.key as place, u.fate,
                  case u.fate when 1 then h.amount else u.actual end as actual),
    told as (
        insert into penstock.journal (at, kind, call, incarnation, lane, seq, budget, count, outcome, admitted_at)
            select v_now, 'settlement', g.call, p_incarnation, p_lane, p_seq, p_budgets[g.place], g.actual,
                   case g.fate when 0 then 'settled' when 1 then 'in-full' when 2 then 'released' else 'overrun' end,
                   pg_catalog.to_timestamp(0) + g.at_us * interval '1 microsecond'
              from gone g where not g.slot),
    a as (
        select c.key, c.idx, pg_catalog.sum(greatest(0, c.delta))::bigint as more,
               pg_catalog.sum(greatest(0, - c.delta))::bigint as less, pg_catalog.sum(c.held)::bigint as held
          from (select gone.key, gone.idx, gone.actual - gone.amount as delta, gone.amount as held from gone
                union all
                select p_keys[r.key], r.idx, - r.amount, 0
                  from rows from (pg_catalog.unnest(p_ref_key), pg_catalog.unnest(p_ref_idx), pg_catalog.unnest(p_ref_amount))
                       as r (key, idx, amount)) as c
         group by c.key, c.idx)
    select pg_catalog.array_agg(a.key), pg_catalog.array_agg(a.idx), pg_catalog.array_agg(a.more),
           pg_catalog.array_agg(a.less), pg_catalog.array_agg(a.held)
      into v_keys, v_idx, v_more, v_less, v_held from a;
    if v_keys is not null then
        perform penstock.adjust_v1(v_keys, v_idx, v_more, v_less, v_held);
    end if;
    if pg_catalog.cardinality(p_calls) > 0 then
        insert into penstock.journal (at, kind, call, incarnation, lane, seq, outcome, admitted_at)
            select v_now, 'outcome', u.call::pg_catalog.uuid, p_incarnation, p_lane, p_seq, 'not-sent',
                   pg_catalog.to_timestamp(0) + u.at * interval '1 microsecond'
              from rows from (pg_catalog.unnest(p_calls), pg_catalog.unnest(p_admitted_us)) as u (call, at);
    end if;
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
    perform pg_catalog.set_config('lock_timeout', '1s', true);
    delete from penstock.lane l
     where (l.incarnation, l.lane) in (
         select o.incarnation, o.lane from penstock.lane o
          where not exists (select 1 from penstock.replica r where r.incarnation = o.incarnation) limit 500);
    get diagnostics v_lanes = row_count;

    v_us := penstock.micros_v1(pg_catalog.clock_timestamp() - interval '24 hours');
    select pg_catalog.array_agg(o.key) into v_keys
      from (select c.key from penstock.counter c
             where c.ends_us < v_us and (c.held = 0 or c.kind < 5) limit 500) as o;
    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(v_keys) as k (key) order by 1) as s;
    delete from penstock.counter c
     where c.key = any (v_keys) and c.ends_us < v_us;
    get diagnostics v_counters = row_count;
    return v_counters + v_lanes;
end $$;

-- One round of the leader's housekeeping: ends at most 500 holds that nobody settles any more. Units whose price was
-- never learnt are spent in full: at once where the incarnation is over, otherwise when the call's own time limit has
-- passed. A slot comes back only then, because a frozen replica's call may still run. Returns how many.
-- A batch whose hold ends here cannot be undone any more: undoing would take away a second time what is given back.
create function penstock.sweep_holds_v1(p_incarnation uuid, p_term bigint) returns integer
language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_now        timestamp with time zone := pg_catalog.clock_timestamp();
    v_calls      pg_catalog.uuid[];
    v_of         pg_catalog.text[];
    v_by         pg_catalog.uuid[];
    v_at         bigint[];
    v_keys       pg_catalog.text[];
    v_idx        bigint[];
    v_more       bigint[];
    v_less       bigint[];
    v_held       bigint[];
    v_count      integer;
begin
    perform penstock.hold_duty_v1('sweep', p_incarnation, p_term);
    perform pg_catalog.set_config('lock_timeout', '1s', true);
    select pg_catalog.array_agg(o.call), pg_catalog.array_agg(o.key), pg_catalog.array_agg(o.incarnation),
           pg_catalog.array_agg(o.at_us)
      into v_calls, v_of, v_by, v_at
      from (select h.call, h.key, h.incarnation, h.at_us from penstock.hold h
             where h.ends_by < v_now
                or (not h.slot and not exists (
                        select 1 from penstock.replica r
                         where r.incarnation = h.incarnation and r.state not in ('fenced', 'closed')))
             limit 500) as o;
    if v_calls is null then
        return 0;
    end if;
    update penstock.lane l set at_us = null, admitted = null, charged = null
      from (select distinct u.incarnation, u.at_us
              from rows from (pg_catalog.unnest(v_by), pg_catalog.unnest(v_at)) as u (incarnation, at_us)) as u
     where l.incarnation = u.incarnation and l.at_us = u.at_us;
    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(v_of) as k (key) order by 1) as s;
    with gone as (
        delete from penstock.hold h using rows from (pg_catalog.unnest(v_calls), pg_catalog.unnest(v_of)) as u (call, key)
         where h.call = u.call and h.key = u.key
        returning h.call, h.key, h.idx, h.amount, h.slot, h.at_us, h.incarnation),
    told as (
        insert into penstock.journal (at, kind, call, incarnation, budget, count, outcome, admitted_at)
            select v_now, 'settlement', g.call, g.incarnation, (penstock.counter_key_v1(g.key)).budget,
                   case when g.slot then 0 else g.amount end,
                   case when g.slot then 'slot-freed' else 'swept-in-full' end,
                   pg_catalog.to_timestamp(0) + g.at_us * interval '1 microsecond'
              from gone g),
    a as (
        select g.key, g.idx, 0::bigint as more, pg_catalog.sum(case when g.slot then g.amount else 0 end)::bigint as less,
               pg_catalog.sum(g.amount)::bigint as held, pg_catalog.count(*) as holds
          from gone g group by g.key, g.idx)
    select pg_catalog.array_agg(a.key), pg_catalog.array_agg(a.idx), pg_catalog.array_agg(a.more),
           pg_catalog.array_agg(a.less), pg_catalog.array_agg(a.held), coalesce(pg_catalog.sum(a.holds), 0)::integer
      into v_keys, v_idx, v_more, v_less, v_held, v_count from a;
    if v_keys is not null then
        perform penstock.adjust_v1(v_keys, v_idx, v_more, v_less, v_held);
    end if;
    return v_count;
end $$;

-- Empties the next 500 counters of a budget, those of one scope or all; what calls in flight hold stays charged. The
-- caller goes on with the last key until none is left, then says so with reset_done_v1. Returns the last key, or null.
create function penstock.reset_counters_v1(p_budget text, p_scope jsonb, p_after text) returns text
language plpgsql volatile security definer as $$
declare
    c_lock_class constant integer := 1885695603;
    v_prefix     constant pg_catalog.text := pg_catalog.length(p_budget)::pg_catalog.text || ':' || p_budget;
    v_keys       pg_catalog.text[];
    v_last       pg_catalog.text;
    v_us         bigint;
begin
    perform penstock.durable_v1();
    perform pg_catalog.set_config('lock_timeout', '1s', true);
    select pg_catalog.array_agg(o.key), pg_catalog.max(o.key collate "C") into v_keys, v_last
      from (select c.key from penstock.counter c cross join lateral penstock.counter_key_v1(c.key) k
             where c.key > p_after
               and (pg_catalog.starts_with(c.key, v_prefix) or pg_catalog.starts_with(c.key, 'shadow/' || v_prefix))
               and (p_scope is null or k.scope @> p_scope)
             order by c.key limit 500) as o;
    perform pg_catalog.pg_advisory_xact_lock(c_lock_class, s.shard)
       from (select distinct (pg_catalog.hashtextextended(k.key, 0) & 1023)::integer as shard
               from pg_catalog.unnest(v_keys) as k (key) order by 1) as s;
    v_us := penstock.micros_v1(pg_catalog.clock_timestamp());
    with held as (
        select h.key, h.idx, pg_catalog.sum(h.amount)::bigint as units
          from penstock.hold h where h.key = any (v_keys) group by h.key, h.idx),
    sliding as (
        select c.key, pg_catalog.sum(held.units)::bigint as used,
               pg_catalog.array_agg(coalesce(held.units, 0) order by g.o) as state
          from penstock.counter c cross join pg_catalog.generate_series(1, 51) as g (o)
          left join held on held.key = c.key and held.idx = c.idx - g.o + 1
         where c.key = any (v_keys) and c.kind = 5 and c.held > 0
         group by c.key),
    kept as (
        select c.key, case c.kind when 5 then coalesce(s.used, 0)
                                  when 6 then (c.held::numeric * c.state[2]) % l.lim else c.held end as used,
               case when c.kind <> 6 then c.idx when c.held = 0 then 0
                    else v_us + pg_catalog.div(c.held::numeric * c.state[2], l.lim) end as idx,
               case when c.kind = 5 then coalesce(s.state, pg_catalog.array_fill(0::bigint, array[51])) else c.state end as state
          from penstock.counter c left join sliding s on s.key = c.key
         cross join lateral (select greatest(1, c.lim) as lim) l
         where c.key = any (v_keys))
    update penstock.counter c
       set used = k.used, idx = k.idx, state = k.state, ends_us = case when c.kind = 6 then k.idx + 1 else c.ends_us end
      from kept k
     where c.key = k.key;
    return v_last;
end $$;

-- Ends a reset: journals it and raises the epoch, so that every replica forgets what was used up. Returns the epoch.
create function penstock.reset_done_v1(p_budget text, p_scope jsonb, p_reason text, p_actor text) returns bigint
language plpgsql volatile security definer as $$
declare
    v_epoch bigint;
begin
    v_epoch := penstock.raise_epoch_v1();
    perform penstock.journal_control_v1('reset', v_epoch, coalesce(p_actor, session_user::pg_catalog.text), p_reason, null, null,
        pg_catalog.jsonb_build_object('budget', p_budget, 'scope', p_scope, 'login', session_user));
    return v_epoch;
end $$;

-- Where counters stand now, for whoever explains: no lock, no charge. One row per counter, in their order.
create function penstock.standing_v1(
    p_keys text[], p_limits bigint[], p_micros bigint[], p_kinds integer[], p_zones text[], p_bursts bigint[])
returns table (remaining bigint, held bigint, back_us bigint)
language plpgsql volatile security definer as $$
declare
    v_now  timestamp with time zone := pg_catalog.clock_timestamp();
    v_us   bigint := penstock.micros_v1(v_now);
    v_back bigint[] := penstock.back_at_v1(p_keys, p_limits, p_micros, p_kinds, p_zones, p_bursts, v_now, v_us);
begin
    return query
        select r.room, r.held, v_back[r.o]
          from penstock.counters_at_v1(p_keys, p_limits, p_micros, p_kinds, p_zones, p_bursts, v_now, v_us) r
         order by r.o;
end $$;

-- Reads a counter's key: [shadow/]LEN:NAME UNIT WINDOW part*, each value after its length in characters. `micros` is the
-- number in the window's spec. A key that does not read so gives nulls: it must not hide the others from an operator.
create function penstock.counter_key_v1(p_key text)
returns table (shadow boolean, budget text, unit text, window_spec text, micros bigint, scope jsonb)
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
    unit := case pg_catalog.left(v_rest, 1) when 'C' then 'calls' when 'M' then 'cost' when 'T' then 'tokens'
                                            when 'B' then 'bytes' when 'K' then 'concurrency' end;
    v_rest := pg_catalog.substr(v_rest, 2);
    v_kind := pg_catalog.left(v_rest, 1);
    if v_kind in ('d', 'w', 'm') then
        v_len := pg_catalog.substr(pg_catalog.split_part(v_rest, ':', 1), 2)::integer;
        window_spec := pg_catalog.left(v_rest, pg_catalog.strpos(v_rest, ':') + v_len);
    else
        window_spec := (pg_catalog.regexp_match(v_rest, '^[a-z][0-9]*'))[1];
        micros := nullif(pg_catalog.substr(window_spec, 2), '')::bigint;
    end if;
    v_rest := pg_catalog.substr(v_rest, pg_catalog.length(window_spec) + 1);
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

-- Usage now: a counter whose window is over shows 0 used. The limit is the one it was last judged by; a rate shows its
-- burst, and as used what has not come back of it yet.
create view penstock.budget_usage as
    select k.budget, k.unit, k.scope, k.shadow, k.window_spec,
           case c.kind
               when 6 then case when n.us >= c.idx then 0
                                else least(c.state[1], pg_catalog.ceil(((c.idx - n.us)::numeric * c.lim + c.used)
                                                                       / greatest(1, c.state[2])))::bigint end
               when 5 then c.used - coalesce((select pg_catalog.sum(g.units)
                                                from pg_catalog.unnest(c.state[52 - n.drop : 51]) as g (units)), 0)::bigint
               else case when c.ends_us is null or c.ends_us > n.us then c.used else 0 end end as used,
           case when c.kind >= 5 or c.ends_us is null or c.ends_us > n.us then c.held else 0 end as held,
           case c.kind when 6 then c.state[1] else c.lim end as "limit",
           pg_catalog.to_timestamp(0) + case when c.kind = 0 then greatest(c.ends_us, (n.us / k.micros + 1) * k.micros)
                                             else c.ends_us end * interval '1 microsecond' as ends_at,
           c.at as updated_at, c.key
      from penstock.counter c
     cross join lateral penstock.counter_key_v1(c.key) k
     cross join lateral (select penstock.micros_v1(pg_catalog.clock_timestamp()) as us) m
     cross join lateral (select m.us, case when c.kind = 5 then greatest(0, least(51,
                m.us / greatest(1, k.micros / 50) - c.idx))::integer else 0 end as drop) n;

-- What calls in flight hold.
create view penstock.holds as
    select h.call, k.budget, k.unit, k.scope, h.amount, h.slot, r.replica, h.incarnation,
           pg_catalog.to_timestamp(0) + h.at_us * interval '1 microsecond' as since, h.ends_by
      from penstock.hold h
     cross join lateral penstock.counter_key_v1(h.key) k
      left join penstock.replica r on r.incarnation = h.incarnation;

revoke all on all routines in schema penstock from public;
grant execute on function
    penstock.open_lane_v1, penstock.admit_v1, penstock.resolve_v1, penstock.settle_v1, penstock.sweep_counters_v1,
    penstock.sweep_holds_v1, penstock.standing_v1,
    penstock.counter_key_v1, penstock.micros_v1
    to penstock_gateway;
grant execute on function
    penstock.counter_key_v1, penstock.micros_v1, penstock.reset_counters_v1, penstock.reset_done_v1, penstock.standing_v1
    to penstock_operator;
grant select on penstock.budget_usage, penstock.holds to penstock_gateway, penstock_operator;
