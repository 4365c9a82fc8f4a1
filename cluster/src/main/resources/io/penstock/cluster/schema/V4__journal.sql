-- The journal: one row for each intent, outcome and refusal, in partitions of one UTC day.
create table penstock.journal (
    at          timestamptz not null,
    kind        text not null,  -- intent, outcome, refusal, refusals, settlement, control
    call        uuid,
    incarnation uuid,
    lane        smallint,
    seq         bigint,
    epoch       bigint,
    revision    bigint,
    tenant      text,
    agent       text,
    server      text,
    tool        text,
    method      text,
    code        text,
    budget      text,
    count       bigint,
    outcome     text,
    status      smallint,
    bytes       bigint,
    duration_us bigint,
    admitted_at timestamptz,
    actor       text,
    reason      text,
    detail      jsonb
) partition by range (at);

-- Rows arrive in the order of time: a few bytes for each megabyte of journal find a day's minute.
create index journal_at on penstock.journal using brin (at) with (pages_per_range = 32);

-- Who writes outcomes and refusals, and up to which batch: a batch that is sent again after a lost
-- answer changes nothing.
create table penstock.journal_writer (
    writer      uuid not null,
    stream      smallint not null, -- 0 outcomes, 1 refusals
    seq         bigint not null,
    opened_at   timestamptz not null,
    written_at  timestamptz not null,
    primary key (writer, stream)
) with (fillfactor = 50);

-- What retention may never remove, whatever a replica's configuration says: set by an operator.
create table penstock.journal_floor (
    only_row boolean primary key default true check (only_row),
    keep     interval not null check (keep >= interval '1 day')
);
insert into penstock.journal_floor (keep) values (interval '1 day');

-- One day's partition. CREATE and ATTACH, as CREATE ... PARTITION OF would stop the inserts.
-- Returns whether it was made. Fails with 55P03 when a lock is not free in time.
create function penstock.make_partition(day date) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
    name text := 'journal_' || to_char(day, 'YYYYMMDD');
    lower_bound text := to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00';
    upper_bound text := to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00';
begin
    if exists (select from pg_inherits
                where inhparent = 'penstock.journal'::regclass
                  and inhrelid = to_regclass(format('penstock.%I', name))) then
        return false;
    end if;
    execute format('create table if not exists penstock.%I '
                   '(like penstock.journal including defaults including constraints)', name);
    execute format('alter table penstock.journal attach partition penstock.%I '
                   'for values from (%L) to (%L)', name, lower_bound, upper_bound);
    return true;
end
$$;

-- Makes today's partition and those of the next days; tries again where a lock is not free.
-- Returns how many it made.
create function penstock.partitions_ahead_v1(days integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    today date := (clock_timestamp() at time zone 'UTC')::date;
    made integer := 0;
    attempts integer := 0;
    ahead integer := 0;
begin
    if days not between 1 and 30 then
        raise exception 'days ahead must be 1 to 30, is %', days using errcode = '22023';
    end if;
    while ahead <= days loop
        begin
            if penstock.make_partition(today + ahead) then
                made := made + 1;
            end if;
            ahead := ahead + 1;
        exception when lock_not_available or deadlock_detected then
            attempts := attempts + 1;
            if attempts >= 6 then
                raise;
            end if;
            perform pg_sleep(0.02 * attempts);
        end;
    end loop;
    return made;
end
$$;

-- One step of retention: removes what was detached before, else detaches the oldest partition that
-- is over. Two steps in two transactions, so that the lock that stops inserts is held for moments.
-- Returns what was done: 'dropped NAME', 'detached NAME', or null when there is nothing to do.
create function penstock.journal_retention_v1(retention interval) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
    keep interval := greatest(retention, (select f.keep from penstock.journal_floor f));
    -- A partition is over when its last instant is.
    over text := 'journal_' || to_char(
        (clock_timestamp() at time zone 'UTC' - keep)::date - 1, 'YYYYMMDD');
    name text;
    attached boolean;
begin
    delete from penstock.journal_writer w where w.written_at < clock_timestamp() - keep;
    select c.relname, c.relispartition into name, attached
      from pg_class c
     where c.relnamespace = 'penstock'::regnamespace and c.relkind = 'r'
       and c.relname ~ '^journal_[0-9]{8}$' and c.relname <= over collate "C"
     order by c.relispartition, c.relname
     limit 1;
    if name is null then
        return null;
    end if;
    for attempt in 1 .. 5 loop
        begin
            if attached then
                execute format('alter table penstock.journal detach partition penstock.%I', name);
                return 'detached ' || name;
            end if;
            execute format('drop table penstock.%I', name);
            return 'dropped ' || name;
        exception when lock_not_available or deadlock_detected then
            if attempt = 5 then
                raise;
            end if;
            perform pg_sleep(0.02 * attempt);
        end;
    end loop;
    return null;
end
$$;

-- How much the operator wants kept at least.
create function penstock.journal_floor_v1(keep interval) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update penstock.journal_floor f set keep = $1
$$;

-- Whether this batch is new; remembers it.
create function penstock.journal_batch(writer uuid, stream smallint, seq bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into penstock.journal_writer as w (writer, stream, seq, opened_at, written_at)
    values (journal_batch.writer, journal_batch.stream, journal_batch.seq,
            pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp())
    on conflict on constraint journal_writer_pkey do update
       set seq = excluded.seq, written_at = excluded.written_at
     where w.seq < excluded.seq;
    return found;
end
$$;

-- How admitted calls ended. Returns how many rows were written, 0 for a batch that was there.
create function penstock.outcomes_v1(
    writer uuid, seq bigint, incarnation uuid,
    calls uuid[], admitted_us bigint[], outcomes text[], statuses smallint[],
    bytes bigint[], durations_us bigint[]) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    now timestamptz := pg_catalog.clock_timestamp();
    written integer;
begin
    if not penstock.journal_batch(writer, 0::smallint, seq) then
        return 0;
    end if;
    insert into penstock.journal (at, kind, call, incarnation, outcome, status, bytes, duration_us,
                                  admitted_at)
    select now, 'outcome', o.call, outcomes_v1.incarnation, o.outcome, nullif(o.status, 0),
           o.bytes, o.duration_us,
           timestamptz 'epoch' + o.admitted_us * interval '1 microsecond'
      from unnest(outcomes_v1.calls, outcomes_v1.admitted_us, outcomes_v1.outcomes,
                  outcomes_v1.statuses, outcomes_v1.bytes, outcomes_v1.durations_us)
           as o (call, admitted_us, outcome, status, bytes, duration_us);
    get diagnostics written = row_count;
    return written;
end
$$;

-- Calls that were not let through: alone (kind refusal, count 1, with the call) or counted (kind
-- refusals). Ages are counted by the replica's monotonic clock, the time by this server's. Rows of
-- kind control tell of the writer itself.
create function penstock.refusals_v1(
    writer uuid, seq bigint, incarnation uuid,
    kinds text[], ages_us bigint[], calls uuid[], tenants text[], agents text[], servers text[],
    tools text[], codes text[], budgets text[], counts bigint[], reasons text[]) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    now timestamptz := pg_catalog.clock_timestamp();
    written integer;
begin
    if not penstock.journal_batch(writer, 1::smallint, seq) then
        return 0;
    end if;
    if exists (select from unnest(refusals_v1.kinds) k (kind)
                where k.kind not in ('refusal', 'refusals', 'control')) then
        raise exception 'not a kind of refusal' using errcode = '22023';
    end if;
    -- What an operator did is never told by a replica: those entries are written where the deed is done.
    if exists (select from unnest(refusals_v1.kinds, refusals_v1.codes) k (kind, code)
                where k.kind = 'control'
                  and coalesce(k.code, '') not in ('journal-opened', 'journal-closed', 'outcomes-not-kept')) then
        raise exception 'not a code of a writer' using errcode = '22023';
    end if;
    insert into penstock.journal (at, kind, call, incarnation, tenant, agent, server, tool, code,
                                  budget, count, reason)
    select now - greatest(0, least(r.age_us, 86400000000)) * interval '1 microsecond', r.kind, r.call,
           refusals_v1.incarnation, nullif(r.tenant, ''), nullif(r.agent, ''), nullif(r.server, ''),
           nullif(r.tool, ''), r.code, r.budget, r.count,
           r.reason
      from unnest(refusals_v1.kinds, refusals_v1.ages_us, refusals_v1.calls, refusals_v1.tenants,
                  refusals_v1.agents, refusals_v1.servers, refusals_v1.tools, refusals_v1.codes,
                  refusals_v1.budgets, refusals_v1.counts, refusals_v1.reasons)
           as r (kind, age_us, call, tenant, agent, server, tool, code, budget, count, reason);
    get diagnostics written = row_count;
    return written;
end
$$;

-- Until when the partitions reach.
create view penstock.journal_reach as
select max((pg_catalog.to_date(pg_catalog.substr(c.relname, 9), 'YYYYMMDD') + 1)::timestamp
           at time zone 'UTC') as until
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
 where i.inhparent = 'penstock.journal'::regclass;

-- What is in the journal, for those who may read it.
create view penstock.journal_entries as select * from penstock.journal;

-- Yesterday too: a refusal is dated by its age.
do $$
begin
    perform penstock.make_partition((clock_timestamp() at time zone 'UTC')::date - 1);
    perform penstock.partitions_ahead_v1(3);
end
$$;

grant execute on function
    penstock.partitions_ahead_v1(integer),
    penstock.journal_retention_v1(interval),
    penstock.outcomes_v1(uuid, bigint, uuid, uuid[], bigint[], text[], smallint[], bigint[], bigint[]),
    penstock.refusals_v1(uuid, bigint, uuid, text[], bigint[], uuid[], text[], text[], text[],
                         text[], text[], text[], bigint[], text[])
    to penstock_gateway;
grant execute on function penstock.journal_floor_v1(interval) to penstock_operator;
grant select on penstock.journal_reach to penstock_gateway, penstock_operator;
grant select on penstock.journal_entries to penstock_operator;
