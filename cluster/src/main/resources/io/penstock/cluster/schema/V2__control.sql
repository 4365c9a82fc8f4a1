-- The control state: one epoch, stops, blocks, who is there, who leads.
--
-- Every change of what replicas judge by updates the one row of penstock.control in its own transaction, so that the
-- epoch is an order of commits; a sequence would not be one. NOTIFY is a hint and is sent in a statement of its own
-- afterwards: inside a committing transaction it would serialise the whole server.
--
-- Functions carry a version, qualify every name and have no SET clause. Only functions and views are granted.

create table penstock.control (
    one              boolean     primary key default true check (one),
    cluster          uuid        not null default gen_random_uuid(),
    epoch            bigint      not null default 1,
    lease_ms         integer     not null default 1000 check (lease_ms between 500 and 10000),
    revision         bigint      not null default 0,
    keys_version     bigint      not null default 0,
    blocks_epoch     bigint      not null default 1,            -- the epoch that last changed a block
    blocks_raised_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
insert into penstock.control default values;

create table penstock.replica (
    replica          text        not null check (length(replica) between 1 and 256),
    incarnation      uuid        not null,
    state            text        not null check (state in ('booting', 'open', 'draining', 'fenced', 'closed')),
    started_at       timestamptz not null,
    beat_at          timestamptz not null,
    lease_ms         integer     not null,                      -- the largest lease that it may still trust by
    epoch            bigint      not null,                      -- installed when the beat began
    version          text        not null,
    data_address     text        not null,
    admin_address    text        not null,
    config_hash      text        not null,
    calls_per_second integer     not null,
    clock_offset_us  bigint,                                    -- its wall clock minus this database's
    degraded         boolean     not null,                      -- NOTIFY does not reach it
    lost             boolean     not null default false,        -- closed by the sweep: it went without a word
    primary key (replica, incarnation)
) with (fillfactor = 50);

-- Apart from the beats, so that an acknowledgement never waits for the commit of a beat.
create table penstock.acknowledgement (
    replica     text        not null,
    incarnation uuid        not null,
    epoch       bigint      not null,
    cut_epoch   bigint      not null,                           -- the last epoch that cut anything, 0 for none
    cut         integer     not null,                           -- how many calls and streams that was
    open        integer     not null,                           -- matching calls and streams that are still open
    at          timestamptz not null,
    primary key (replica, incarnation)
) with (fillfactor = 50);

create table penstock.stop (
    id          uuid        primary key,
    kind        text        not null,
    value       text,                                           -- null for all; T, T/A, S, S/T: splits at the first slash
    reason      text        not null check (length(reason) <= 1000),
    actor       text        not null check (length(actor) <= 256),
    epoch       bigint      not null,
    drain       boolean     not null,
    show_reason boolean     not null,
    given_at    timestamptz not null,
    changed     bigint      not null default 0,                 -- the epoch of its last change: given, or lifted
    touched     integer     not null default 0,                 -- how often it was given again
    lifted_at   timestamptz,
    lifted_by   text,
    lift_reason text
);
create index stop_active on penstock.stop (epoch) where lifted_at is null;
create index stop_changed on penstock.stop (changed);

create table penstock.block (
    tenant     text        not null check (length(tenant) between 1 and 128),
    agent      text        not null check (octet_length(agent) between 1 and 256),
    reason     text        not null check (length(reason) <= 1000),
    actor      text        not null check (length(actor) <= 256),
    given_at   timestamptz not null,
    expires_at timestamptz not null,
    pending    boolean     not null,                            -- no epoch was raised for its last change yet
    primary key (tenant, agent)
);
create index block_pending on penstock.block (tenant) where pending;

create table penstock.duty (
    duty        text        primary key check (length(duty) between 1 and 128),
    replica     text        not null,
    incarnation uuid        not null,
    term        bigint      not null,
    until       timestamptz not null
) with (fillfactor = 50);

-- What could not be written to the journal at once. An order is never held up by its own record.
create table penstock.journal_backlog (
    id     uuid        primary key default gen_random_uuid(),
    at     timestamptz not null,
    code   text        not null,
    epoch  bigint,
    actor  text        not null,
    reason text        not null,
    tenant text,
    agent  text,
    detail jsonb
);

-- Raises synchronous_commit for this transaction to at least 'on', whatever role or database say.
create function penstock.durable_v1() returns void
language plpgsql volatile as $$
begin
    if pg_catalog.current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        perform pg_catalog.set_config('synchronous_commit', 'on', true);
    end if;
end $$;

-- Writes one line of what an operator did. Waits at most 100 ms for the journal; then the line goes to the backlog,
-- from which the sweep takes it.
create function penstock.journal_control_v1(
    p_code text, p_epoch bigint, p_actor text, p_reason text, p_tenant text, p_agent text, p_detail jsonb)
returns void language plpgsql volatile security definer as $$
declare
    v_before constant text := pg_catalog.current_setting('lock_timeout');
    v_at     constant timestamptz := pg_catalog.clock_timestamp();
begin
    perform pg_catalog.set_config('lock_timeout', '100ms', true);
    begin
        insert into penstock.journal (at, kind, code, epoch, actor, reason, tenant, agent, detail)
        values (v_at, 'control', p_code, p_epoch, p_actor, p_reason, p_tenant, p_agent, p_detail);
    exception when others then
        insert into penstock.journal_backlog (at, code, epoch, actor, reason, tenant, agent, detail)
        values (v_at, p_code, p_epoch, p_actor, p_reason, p_tenant, p_agent,
                coalesce(p_detail, '{}'::jsonb) || pg_catalog.jsonb_build_object('late', sqlerrm));
    end;
    perform pg_catalog.set_config('lock_timeout', v_before, true);
end $$;

-- One beat. A row that was fenced or closed stays so: the replica must become another incarnation.
-- The lease that the row names is the larger of the cluster's and the one that the replica still trusts by.
create function penstock.beat_v1(
    p_replica text, p_incarnation uuid, p_state text, p_trusting_ms integer, p_epoch bigint, p_version text,
    p_data_address text, p_admin_address text, p_config_hash text, p_calls_per_second integer,
    p_clock_offset_us bigint, p_degraded boolean)
returns table (fenced boolean, cluster uuid, lease_ms integer, system_identifier bigint, timeline text,
               backend_pid integer, database_us bigint)
language plpgsql volatile security definer as $$
declare
    v_now timestamptz := pg_catalog.clock_timestamp();
begin
    perform penstock.durable_v1();
    select c.cluster, c.lease_ms into strict cluster, lease_ms from penstock.control c;
    insert into penstock.replica as r (
        replica, incarnation, state, started_at, beat_at, lease_ms, epoch, version, data_address, admin_address,
        config_hash, calls_per_second, clock_offset_us, degraded)
    values (p_replica, p_incarnation, p_state, v_now, v_now, greatest(lease_ms, p_trusting_ms), p_epoch, p_version,
            p_data_address, p_admin_address, p_config_hash, p_calls_per_second, p_clock_offset_us, p_degraded)
    on conflict on constraint replica_pkey do update
        set state = excluded.state, beat_at = pg_catalog.clock_timestamp(), lease_ms = excluded.lease_ms,
            epoch = excluded.epoch, calls_per_second = excluded.calls_per_second,
            clock_offset_us = excluded.clock_offset_us, degraded = excluded.degraded
        where r.state not in ('fenced', 'closed');
    fenced := not found;
    select s.system_identifier into system_identifier from pg_catalog.pg_control_system() s;
    timeline := pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8);
    backend_pid := pg_catalog.pg_backend_pid();
    database_us := (extract(epoch from pg_catalog.clock_timestamp()) * 1000000)::bigint;
    return next;
end $$;

-- The control state from one snapshot: the function is STABLE, so that all it reads is what the statement that calls it
-- sees. (In SQL instead of PL/pgSQL it would be planned again in each call before Postgres 18: 0.8 ms instead of 0.1.)
-- `stops` is null when the epoch is the installed one ("unchanged"); `blocks` is null also when no block changed since
-- the installed epoch.
create function penstock.control_state_v1(p_installed bigint)
returns table (epoch bigint, cluster uuid, lease_ms integer, revision bigint, keys_version bigint, stops jsonb,
               blocks jsonb)
language plpgsql stable security definer as $$
declare
    v_blocks_epoch bigint;
begin
    select c.epoch, c.cluster, c.lease_ms, c.revision, c.keys_version, c.blocks_epoch
      into strict epoch, cluster, lease_ms, revision, keys_version, v_blocks_epoch
      from penstock.control c;
    if epoch <> p_installed then
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                   'id', s.id, 'kind', s.kind, 'value', s.value, 'reason', s.reason, 'actor', s.actor,
                   'epoch', s.epoch, 'drain', s.drain, 'showReason', s.show_reason) order by s.epoch, s.id),
                   '[]'::jsonb)
          into stops from penstock.stop s where s.lifted_at is null;
    end if;
    if epoch <> p_installed and (p_installed < v_blocks_epoch or p_installed > epoch) then
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                   'tenant', b.tenant, 'agent', b.agent, 'reason', b.reason,
                   'leftMicros', pg_catalog.ceil(
                       extract(epoch from b.expires_at - pg_catalog.clock_timestamp()) * 1000000)::bigint)),
                   '[]'::jsonb)
          into blocks from penstock.block b where b.expires_at > pg_catalog.clock_timestamp();
    end if;
    return next;
end $$;

-- The same for who can do with what changed. Who has installed nothing, or more than there is, is given all stops in
-- `stops`; others get what changed since then in `changes`, lifted ones too. With a thousand stops in force and the epoch
-- raised fifty times a second, reading all of them for each change takes more than a whole server. Epochs are in order of
-- commit, so what has a higher one than the installed state is exactly what that state lacks. (A stop that was lifted 400
-- days ago is gone from here, but nobody keeps a lease for so long without a read.) Both are null when the epoch is the
-- installed one; `blocks` as above.
create function penstock.control_state_v2(p_installed bigint)
returns table (epoch bigint, cluster uuid, lease_ms integer, revision bigint, keys_version bigint, stops jsonb,
               changes jsonb, blocks jsonb)
language plpgsql stable security definer as $$
declare
    v_blocks_epoch bigint;
begin
    select c.epoch, c.cluster, c.lease_ms, c.revision, c.keys_version, c.blocks_epoch
      into strict epoch, cluster, lease_ms, revision, keys_version, v_blocks_epoch
      from penstock.control c;
    if p_installed not between 1 and epoch then
        select s.epoch, s.cluster, s.lease_ms, s.revision, s.keys_version, s.stops, s.blocks
          into strict epoch, cluster, lease_ms, revision, keys_version, stops, blocks
          from penstock.control_state_v1(p_installed) s;
        return next;
        return;
    end if;
    if epoch <> p_installed then
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                   'id', s.id, 'kind', s.kind, 'value', s.value, 'reason', s.reason, 'actor', s.actor,
                   'epoch', s.epoch, 'drain', s.drain, 'showReason', s.show_reason,
                   'lifted', s.lifted_at is not null) order by s.epoch, s.id), '[]'::jsonb)
          into changes from penstock.stop s where s.changed > p_installed;
    end if;
    if epoch <> p_installed and p_installed < v_blocks_epoch then
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                   'tenant', b.tenant, 'agent', b.agent, 'reason', b.reason,
                   'leftMicros', pg_catalog.ceil(
                       extract(epoch from b.expires_at - pg_catalog.clock_timestamp()) * 1000000)::bigint)),
                   '[]'::jsonb)
          into blocks from penstock.block b where b.expires_at > pg_catalog.clock_timestamp();
    end if;
    return next;
end $$;

-- Not synchronous: a lost acknowledgement only makes an operator wait for the lease.
create function penstock.acknowledge_v1(
    p_replica text, p_incarnation uuid, p_epoch bigint, p_cut_epoch bigint, p_cut integer, p_open integer)
returns void language plpgsql volatile security definer as $$
begin
    perform pg_catalog.set_config('synchronous_commit', 'off', true);
    insert into penstock.acknowledgement as a (replica, incarnation, epoch, cut_epoch, cut, open, at)
    values (p_replica, p_incarnation, p_epoch, p_cut_epoch, p_cut, p_open, pg_catalog.clock_timestamp())
    on conflict on constraint acknowledgement_pkey do update
        set epoch = excluded.epoch, cut_epoch = excluded.cut_epoch, cut = excluded.cut, open = excluded.open,
            at = excluded.at
        where a.epoch <= excluded.epoch;
end $$;

-- Clean end of an incarnation: no operator waits for it any more. Said only after its last send and stream ended.
create function penstock.close_v1(p_replica text, p_incarnation uuid) returns void
language plpgsql volatile security definer as $$
begin
    perform penstock.durable_v1();
    update penstock.replica r set state = 'closed' where r.replica = p_replica and r.incarnation = p_incarnation;
end $$;

-- Raises the epoch for a change that the same transaction made. Returns the new one.
create function penstock.raise_epoch_v1() returns bigint
language plpgsql volatile security definer as $$
declare
    v_epoch bigint;
begin
    perform penstock.durable_v1();
    update penstock.control c set epoch = c.epoch + 1 returning c.epoch into strict v_epoch;
    return v_epoch;
end $$;

-- Tells every replica to read the API keys again. Returns the new epoch.
create function penstock.keys_changed_v1() returns bigint
language plpgsql volatile security definer as $$
declare
    v_epoch bigint;
begin
    perform penstock.durable_v1();
    update penstock.control c set epoch = c.epoch + 1, keys_version = c.keys_version + 1
        returning c.epoch into strict v_epoch;
    return v_epoch;
end $$;

-- Makes a revision the current one if the current one is still the expected one. Returns the new epoch, or null.
create function penstock.adopt_revision_v1(p_expected bigint, p_revision bigint, p_lease_ms integer) returns bigint
language plpgsql volatile security definer as $$
declare
    v_epoch bigint;
begin
    perform penstock.durable_v1();
    update penstock.control c set epoch = c.epoch + 1, revision = p_revision, lease_ms = p_lease_ms
        where c.revision = p_expected
        returning c.epoch into v_epoch;
    return v_epoch;
end $$;

-- Gives the stops of one order, each in a row of its own, all under one epoch. Safe to repeat with the same ids until
-- an answer comes: a row that is there already is touched, because a commit that writes nothing proves nothing.
-- epoch: what a replica must have acknowledged; control_epoch: the cluster's now; fresh: this call made the rows; lifted:
-- it was given before, and at least one of its stops does not hold any more.
create function penstock.give_stop_v1(
    p_ids uuid[], p_kinds text[], p_values text[], p_reason text, p_actor text, p_drain boolean, p_show_reason boolean)
returns table (epoch bigint, control_epoch bigint, fresh boolean, lifted boolean)
language plpgsql volatile security definer as $$
declare
    v_count constant integer := coalesce(pg_catalog.cardinality(p_ids), 0);
    v_actor constant text := coalesce(p_actor, session_user::text);
    v_new   integer;
    i       integer;
begin
    if v_count not between 1 and 100 or v_count <> pg_catalog.cardinality(p_kinds)
            or v_count <> pg_catalog.cardinality(p_values) then
        raise exception 'a stop needs 1 to 100 scopes, each with an id, a kind and a value, got % ids', v_count
            using errcode = '22023';
    end if;
    for i in 1 .. v_count loop
        perform penstock.check_scope_v1(p_kinds[i], p_values[i]);
    end loop;
    perform penstock.durable_v1();
    insert into penstock.stop (id, kind, value, reason, actor, epoch, drain, show_reason, given_at)
        select u.id, u.kind, u.value, p_reason, v_actor, 0, p_drain, p_show_reason, pg_catalog.clock_timestamp()
          from unnest(p_ids, p_kinds, p_values) as u (id, kind, value) order by u.id
        on conflict (id) do nothing;
    get diagnostics v_new = row_count;
    if v_new = v_count then
        update penstock.control c set epoch = c.epoch + 1 returning c.epoch into strict control_epoch;
        epoch := control_epoch;
        fresh := true;
        lifted := false;
        update penstock.stop s set epoch = control_epoch, changed = control_epoch where s.id = any (p_ids);
        perform penstock.journal_control_v1('stop', control_epoch, v_actor, p_reason, null, null,
            pg_catalog.jsonb_build_object('ids', p_ids, 'kinds', p_kinds, 'values', p_values, 'drain', p_drain,
                                          'login', session_user));
    elsif v_new = 0 then
        update penstock.stop s set touched = s.touched + 1 where s.id = any (p_ids);
        select pg_catalog.max(s.epoch), pg_catalog.bool_or(s.lifted_at is not null) into epoch, lifted
            from penstock.stop s where s.id = any (p_ids);
        select c.epoch into strict control_epoch from penstock.control c;
        fresh := false;
    else
        raise exception 'some of these stop ids belong to another order' using errcode = '22023';
    end if;
    return next;
end $$;

create function penstock.check_scope_v1(p_kind text, p_value text) returns void
language plpgsql immutable as $$
begin
    if p_kind is null or p_kind not in ('all', 'tenant', 'agent', 'server', 'tool') then
        raise exception 'unknown kind of scope ''%'': all, tenant, agent, server or tool', p_kind
            using errcode = '22023';
    end if;
    if p_kind = 'all' and p_value is not null then
        raise exception 'scope all takes no value, got ''%''', p_value using errcode = '22023';
    end if;
    if p_kind <> 'all' and coalesce(p_value, '') = '' then
        raise exception 'scope % needs a value', p_kind using errcode = '22023';
    end if;
    if p_kind in ('agent', 'tool')
            and pg_catalog.strpos(p_value, '/') not between 2 and pg_catalog.length(p_value) - 1 then
        raise exception 'scope % needs %, got ''%''', p_kind,
            case p_kind when 'agent' then 'TENANT/AGENT' else 'SERVER/TOOL' end, p_value using errcode = '22023';
    end if;
    if pg_catalog.octet_length(p_value) > 512 then
        raise exception 'scope value is longer than 512 bytes' using errcode = '22023';
    end if;
end $$;

-- Lifts exactly these stops, or, where one of the ids is no stop's, none. Safe to repeat until an answer comes.
-- epoch: what replicas must have acknowledged.
create function penstock.resume_v1(p_ids uuid[], p_reason text, p_actor text)
returns table (epoch bigint, lifted uuid[], unknown uuid[])
language plpgsql volatile security definer as $$
declare
    v_actor constant text := coalesce(p_actor, session_user::text);
begin
    if coalesce(pg_catalog.cardinality(p_ids), 0) = 0 then
        raise exception 'no stop named' using errcode = '22023';
    end if;
    perform penstock.durable_v1();
    perform 1 from penstock.stop s where s.id = any (p_ids) order by s.id for update;
    select coalesce(pg_catalog.array_agg(u.id), '{}') into unknown from unnest(p_ids) as u (id)
        where not exists (select 1 from penstock.stop s where s.id = u.id);
    if pg_catalog.cardinality(unknown) > 0 then
        lifted := '{}';
        select c.epoch into strict epoch from penstock.control c;
        return next;
        return;
    end if;
    select coalesce(pg_catalog.array_agg(s.id), '{}') into lifted
        from penstock.stop s where s.id = any (p_ids) and s.lifted_at is null;
    if pg_catalog.cardinality(lifted) > 0 then
        update penstock.control c set epoch = c.epoch + 1 returning c.epoch into strict epoch;
        update penstock.stop s
           set lifted_at = pg_catalog.clock_timestamp(), lifted_by = v_actor, lift_reason = p_reason,
               changed = resume_v1.epoch
         where s.id = any (lifted);
        perform penstock.journal_control_v1('resume', epoch, v_actor, p_reason, null, null,
            pg_catalog.jsonb_build_object('ids', lifted, 'login', session_user));
    else
        update penstock.stop s set touched = s.touched + 1 where s.id = any (p_ids);
        select c.epoch into strict epoch from penstock.control c;
    end if;
    return next;
end $$;

-- Blocks an agent; an end that is already later stays. Takes effect with the next raise_blocks_v1.
create function penstock.block_v1(p_tenant text, p_agent text, p_reason text, p_actor text, p_for interval)
returns timestamptz language plpgsql volatile security definer as $$
declare
    v_actor   constant text := coalesce(p_actor, session_user::text);
    v_now     constant timestamptz := pg_catalog.clock_timestamp();
    v_expires timestamptz;
begin
    if p_for <= interval '0' or p_for > interval '366 days' then
        raise exception 'a block lasts more than 0 and at most 366 days, got %', p_for using errcode = '22023';
    end if;
    perform penstock.durable_v1();
    insert into penstock.block as b (tenant, agent, reason, actor, given_at, expires_at, pending)
        values (p_tenant, p_agent, p_reason, v_actor, v_now, v_now + p_for, true)
        on conflict (tenant, agent) do update
            set reason = excluded.reason, actor = excluded.actor, given_at = excluded.given_at,
                expires_at = greatest(b.expires_at, excluded.expires_at), pending = true
        returning b.expires_at into v_expires;
    perform penstock.journal_control_v1('block', null, v_actor, p_reason, p_tenant, p_agent,
        pg_catalog.jsonb_build_object('expires', v_expires, 'login', session_user));
    return v_expires;
end $$;

-- Ends a block now; false if there was none. Takes effect with the next raise_blocks_v1.
create function penstock.unblock_v1(p_tenant text, p_agent text, p_reason text, p_actor text)
returns boolean language plpgsql volatile security definer as $$
declare
    v_actor constant text := coalesce(p_actor, session_user::text);
begin
    perform penstock.durable_v1();
    update penstock.block b set expires_at = pg_catalog.clock_timestamp(), pending = true
        where b.tenant = p_tenant and b.agent = p_agent and b.expires_at > pg_catalog.clock_timestamp();
    if not found then
        return false;
    end if;
    perform penstock.journal_control_v1('unblock', null, v_actor, p_reason, p_tenant, p_agent,
        pg_catalog.jsonb_build_object('login', session_user));
    return true;
end $$;

-- Raises the epoch for blocks that wait for one, at most every 50 ms, and never queues for the control row, so that a
-- storm of blocks never stands before a stop. wait_ms: call again after that time; 0: nothing waits any more.
create function penstock.raise_blocks_v1() returns table (epoch bigint, wait_ms integer)
language plpgsql volatile security definer as $$
declare
    v_raised timestamptz;
begin
    select c.epoch, c.blocks_raised_at into strict epoch, v_raised from penstock.control c;
    wait_ms := 0;
    if not exists (select 1 from penstock.block b where b.pending) then
        return next;
        return;
    end if;
    -- A clock that stepped back must not keep blocks waiting: only the last 50 ms count.
    if v_raised between pg_catalog.clock_timestamp() - interval '50 ms' and pg_catalog.clock_timestamp() then
        wait_ms := 1 + ceil(extract(epoch from
            v_raised + interval '50 ms' - pg_catalog.clock_timestamp()) * 1000)::integer;
        return next;
        return;
    end if;
    perform 1 from penstock.control c for update skip locked;
    if not found then
        wait_ms := 5;
        return next;
        return;
    end if;
    perform penstock.durable_v1();
    update penstock.control c
       set epoch = c.epoch + 1, blocks_epoch = c.epoch + 1, blocks_raised_at = pg_catalog.clock_timestamp()
     where c.blocks_raised_at not between pg_catalog.clock_timestamp() - interval '50 ms'
                                      and pg_catalog.clock_timestamp()
    returning c.epoch into epoch;
    if not found then
        wait_ms := 5;
        return next;
        return;
    end if;
    update penstock.block b set pending = false
     where (b.tenant, b.agent) in (
         select p.tenant, p.agent from penstock.block p where p.pending for update skip locked);
    return next;
end $$;

-- Takes those of the duties that nobody holds. Only an incarnation that beats and is open may.
create function penstock.claim_duties_v1(p_replica text, p_incarnation uuid, p_duties text[])
returns table (duty text, term bigint)
language plpgsql volatile security definer as $$
declare
    v_duty text;
    v_now  timestamptz := pg_catalog.clock_timestamp();
begin
    if not exists (select 1 from penstock.replica r
                    where r.replica = p_replica and r.incarnation = p_incarnation and r.state = 'open') then
        return;
    end if;
    foreach v_duty in array p_duties loop
        continue when exists (select 1 from penstock.duty d where d.duty = v_duty and d.until > v_now);
        perform penstock.durable_v1();
        insert into penstock.duty as d (duty, replica, incarnation, term, until)
            values (v_duty, p_replica, p_incarnation, 1, pg_catalog.clock_timestamp() + interval '15 s')
            on conflict on constraint duty_pkey do update
                set replica = excluded.replica, incarnation = excluded.incarnation, term = d.term + 1,
                    until = pg_catalog.clock_timestamp() + interval '15 s'
                where d.until <= pg_catalog.clock_timestamp()
            returning d.duty, d.term into duty, term;
        if found then
            return next;
        end if;
    end loop;
end $$;

-- Extends what this incarnation still holds; a duty that is missing in the answer is lost.
create function penstock.renew_duties_v1(p_incarnation uuid, p_duties text[], p_terms bigint[])
returns table (duty text, term bigint)
language plpgsql volatile security definer as $$
begin
    perform penstock.durable_v1();
    return query
        update penstock.duty d set until = pg_catalog.clock_timestamp() + interval '15 s'
          from unnest(p_duties, p_terms) as u (duty, term)
         where d.duty = u.duty and d.term = u.term and d.incarnation = p_incarnation
        returning d.duty, d.term;
end $$;

-- Lets go of every duty at once, so that another replica need not wait for its end.
create function penstock.hand_over_duties_v1(p_incarnation uuid) returns integer
language plpgsql volatile security definer as $$
declare
    v_count integer;
begin
    perform penstock.durable_v1();
    update penstock.duty d set until = pg_catalog.clock_timestamp()
        where d.incarnation = p_incarnation and d.until > pg_catalog.clock_timestamp();
    get diagnostics v_count = row_count;
    return v_count;
end $$;

-- Every write of a leader begins with this, in the same transaction: another term cannot begin before it commits.
create function penstock.hold_duty_v1(p_duty text, p_incarnation uuid, p_term bigint) returns void
language plpgsql volatile security definer as $$
begin
    perform 1 from penstock.duty d
        where d.duty = p_duty and d.incarnation = p_incarnation and d.term = p_term
          and d.until > pg_catalog.clock_timestamp()
        for share;
    if not found then
        raise exception 'term % of duty % is over', p_term, p_duty using errcode = 'PS001';
    end if;
end $$;

-- One round of the sweep: closes the incarnations that are named, if they are fenced, fences those without a beat for
-- 15 s, raises the epoch for blocks left waiting, moves the journal's backlog, forgets what is long over. At most 500 rows
-- of each.
-- That a replica was fenced says what this database's clock made of it, and that may have stepped: the replica may still
-- have a lease, and no operator waits for a closed row. So the caller names what may be closed: those of `waiting`, fenced
-- by an earlier round, whose `waiting_ms` have passed on its own clock since it was told.
create function penstock.sweep_control_v1(p_incarnation uuid, p_term bigint, p_closable uuid[])
returns table (fenced integer, closed integer, waiting uuid[], waiting_ms integer[])
language plpgsql volatile security definer as $$
declare
    v_now  constant timestamptz := pg_catalog.clock_timestamp();
    v_dead uuid;
    v_line penstock.journal_backlog;
begin
    perform penstock.hold_duty_v1('sweep', p_incarnation, p_term);
    update penstock.replica r set state = 'closed', lost = true
     where (r.replica, r.incarnation) in (
         select d.replica, d.incarnation from penstock.replica d
          where d.state = 'fenced' and d.incarnation = any (p_closable) limit 500);
    get diagnostics closed = row_count;
    -- Before any is fenced here: this round may not be committed.
    select coalesce(pg_catalog.array_agg(d.incarnation), '{}'), coalesce(pg_catalog.array_agg(d.lease_ms), '{}')
      into waiting, waiting_ms
      from (select r.incarnation, r.lease_ms from penstock.replica r where r.state = 'fenced' limit 500) as d;

    fenced := 0;
    for v_dead in
        update penstock.replica r set state = 'fenced'
         where (r.replica, r.incarnation) in (
             select d.replica, d.incarnation from penstock.replica d
              where d.state in ('booting', 'open', 'draining') and d.beat_at < v_now - interval '15 s' limit 500)
           and r.state in ('booting', 'open', 'draining') and r.beat_at < v_now - interval '15 s'
        returning r.incarnation
    loop
        perform penstock.fence_lanes_v1(v_dead);
        update penstock.duty d set until = v_now where d.incarnation = v_dead and d.until > v_now;
        fenced := fenced + 1;
    end loop;

    perform 1 from penstock.raise_blocks_v1();
    delete from penstock.block b
     where (b.tenant, b.agent) in (
         select o.tenant, o.agent from penstock.block o
          where not o.pending and o.expires_at < v_now - interval '1 hour' limit 500 for update skip locked);

    for v_line in
        delete from penstock.journal_backlog b
         where b.id in (select o.id from penstock.journal_backlog o order by o.at limit 500)
        returning b.*
    loop
        perform penstock.journal_control_v1(v_line.code, v_line.epoch, v_line.actor, v_line.reason, v_line.tenant,
            v_line.agent, pg_catalog.jsonb_build_object('given', v_line.at) || coalesce(v_line.detail, '{}'::jsonb));
    end loop;

    delete from penstock.acknowledgement a
     where (a.replica, a.incarnation) in (
         select d.replica, d.incarnation from penstock.replica d
          where d.state = 'closed' and d.beat_at < v_now - interval '1 day' limit 500);
    delete from penstock.replica r
     where (r.replica, r.incarnation) in (
         select d.replica, d.incarnation from penstock.replica d
          where d.state = 'closed' and d.beat_at < v_now - interval '1 day' limit 500);
    -- Long enough for a latched stop of a replica that was away to learn that it was lifted.
    delete from penstock.stop s
     where s.id in (select o.id from penstock.stop o where o.lifted_at < v_now - interval '400 days' limit 500);
    return next;
end $$;

-- Whom an operator waits for: all that did not end. By no clock: a database whose clock steps must not hide a replica.
create view penstock.registered as
    select r.replica, r.incarnation, r.started_at, r.lease_ms, coalesce(a.epoch, 0) as acked_epoch,
           coalesce(a.cut_epoch, 0) as cut_epoch, coalesce(a.cut, 0) as cut, coalesce(a.open, 0) as open
      from penstock.replica r
      left join penstock.acknowledgement a on a.replica = r.replica and a.incarnation = r.incarnation
     where r.state <> 'closed';

-- Who is there, for people. lease_left_ms is what this database makes of it; replicas and operators count by clocks of
-- their own. An incarnation whose lease is over is `overdue`, whatever it said last; after 15 s, or fenced, it is `gone`,
-- and shown until another of its name is there, for ten minutes at most.
create view penstock.status as
    with seen as (
        select r.*, pg_catalog.clock_timestamp() - r.beat_at as beat_age from penstock.replica r),
    judged as (
        select s.*,
               greatest(0, (0.75 * s.lease_ms - extract(epoch from s.beat_age) * 1000)::integer) as lease_left_ms,
               s.state in ('fenced', 'closed') or s.beat_age > interval '15 s' as gone
          from seen s where s.state <> 'closed' or s.lost)
    select r.replica, r.incarnation,
           case when r.gone then 'gone' when r.lease_left_ms = 0 then 'overdue' else r.state end as state,
           r.version, r.data_address, r.admin_address, r.config_hash, r.lease_ms,
           case when r.gone then 0 else r.lease_left_ms end as lease_left_ms,
           r.epoch, coalesce(a.epoch, 0) as acked_epoch, coalesce(a.cut_epoch, 0) as cut_epoch,
           coalesce(a.cut, 0) as cut, coalesce(a.open, 0) as open,
           case when r.gone then 0 else r.calls_per_second end as calls_per_second, r.clock_offset_us, r.degraded,
           r.started_at, r.beat_age,
           array(select d.duty from penstock.duty d
                  where d.incarnation = r.incarnation and d.until > pg_catalog.clock_timestamp() order by d.duty)
               as leads
      from judged r
      left join penstock.acknowledgement a on a.replica = r.replica and a.incarnation = r.incarnation
     where not r.gone
        or r.beat_age < interval '10 minutes'
           and not exists (select 1 from penstock.replica n
                            where n.replica = r.replica and n.started_at > r.started_at);

create view penstock.stops as
    select s.id, s.kind, s.value, s.reason, s.actor, s.epoch, s.drain, s.show_reason, s.given_at
      from penstock.stop s where s.lifted_at is null;

create view penstock.blocks as
    select b.tenant, b.agent, b.reason, b.actor, b.given_at, b.expires_at
      from penstock.block b where b.expires_at > pg_catalog.clock_timestamp();

create view penstock.duties as
    select d.duty, d.replica, d.incarnation, d.term, d.until from penstock.duty d
     where d.until > pg_catalog.clock_timestamp();

create view penstock.cluster as
    select c.cluster, c.epoch, c.lease_ms, c.revision, c.keys_version from penstock.control c;

-- For psql. Procedures that commit, so that "recorded" is true when they return: one that commits fails inside every
-- kind of transaction block, which a function could not notice.
create procedure penstock.stop(
    p_kind text, p_value text, p_reason text, p_drain boolean default false, p_show_reason boolean default false,
    inout id uuid default null, inout epoch bigint default null, inout answer text default null)
language plpgsql as $$
declare
    v_lifted boolean;
begin
    id := coalesce(id, pg_catalog.gen_random_uuid());
    select g.epoch, g.lifted into strict epoch, v_lifted
      from penstock.give_stop_v1(array[id], array[p_kind], array[nullif(p_value, '')], p_reason, null, p_drain,
                                 p_show_reason) g;
    commit;
    perform pg_catalog.pg_notify('penstock_control', epoch::text);
    answer := case when v_lifted then 'was given and lifted before: it does not hold'
                   else 'recorded, not yet confirmed' end;
end $$;

create procedure penstock.resume(
    p_id uuid, p_reason text, inout epoch bigint default null, inout answer text default null)
language plpgsql as $$
declare
    v_lifted  uuid[];
    v_unknown uuid[];
begin
    select r.epoch, r.lifted, r.unknown into strict epoch, v_lifted, v_unknown
      from penstock.resume_v1(array[p_id], p_reason, null) r;
    commit;
    perform pg_catalog.pg_notify('penstock_control', epoch::text);
    answer := case when pg_catalog.cardinality(v_unknown) > 0 then 'no such stop'
                   when pg_catalog.cardinality(v_lifted) > 0 then 'recorded, not yet confirmed'
                   else 'was lifted before' end;
end $$;

-- Gives the stop, then waits until every replica has acknowledged it or must be without a lease. The time is counted in
-- completed sleeps of 5 ms, which can only be too long: there is no monotonic clock here, and the database's may step.
create procedure penstock.stop_and_wait(
    p_kind text, p_value text, p_reason text, p_wait interval default interval '10 s', p_drain boolean default false,
    p_show_reason boolean default false,
    inout id uuid default null, inout epoch bigint default null, inout answer text default null)
language plpgsql as $$
declare
    v_wait_ms constant integer := (extract(epoch from p_wait) * 1000)::integer;
    v_epoch   bigint;
    v_lifted  boolean;
    v_listed  uuid[];
    v_names   text[];
    v_lease   integer;
    v_slept   integer := 0;
    v_told    uuid[] := '{}';
    v_acked   uuid[];
    v_open    integer;
    v_one     uuid;
    v_name    text;
begin
    id := coalesce(id, pg_catalog.gen_random_uuid());
    select g.epoch, g.lifted into strict v_epoch, v_lifted
      from penstock.give_stop_v1(array[id], array[p_kind], array[nullif(p_value, '')], p_reason, null, p_drain,
                                 p_show_reason) g;
    epoch := v_epoch;
    commit;
    if v_lifted then
        answer := 'was given and lifted before: it does not hold';
        raise warning '%', answer;
        return;
    end if;
    raise notice 'stop % recorded, epoch %', id, epoch;
    perform pg_catalog.pg_notify('penstock_control', epoch::text);
    commit;
    select coalesce(pg_catalog.array_agg(s.incarnation order by s.replica, s.incarnation), '{}'),
           coalesce(pg_catalog.array_agg(s.replica order by s.replica, s.incarnation), '{}'),
           coalesce(pg_catalog.max(s.lease_ms), 0)
      into v_listed, v_names, v_lease from penstock.registered s;
    loop
        select coalesce(pg_catalog.array_agg(s.incarnation), '{}'),
               coalesce(pg_catalog.sum(s.open), 0)
          into v_acked, v_open
          from penstock.registered s where s.incarnation = any (v_listed) and s.acked_epoch >= v_epoch;
        for v_one, v_name in select u.one, u.name from unnest(v_listed, v_names) as u (one, name) loop
            continue when v_one = any (v_told);
            if v_one = any (v_acked) then
                raise notice '%: acked within % ms', v_name, v_slept + 5;
                v_told := v_told || v_one;
            elsif v_slept >= v_lease then
                raise notice '%: silent, fenced after % ms', v_name, v_slept;
                v_told := v_told || v_one;
            end if;
        end loop;
        if pg_catalog.cardinality(v_told) = pg_catalog.cardinality(v_listed) and v_open = 0 then
            answer := case when pg_catalog.cardinality(v_listed) = 0 then 'confirmed: no replica is registered'
                           else 'confirmed' end;
            return;
        end if;
        if v_slept >= v_wait_ms then
            answer := case when pg_catalog.cardinality(v_told) < pg_catalog.cardinality(v_listed)
                           then 'recorded, not confirmed within the wait'
                           else pg_catalog.format('closed, but %s matching calls are still open', v_open) end;
            raise warning '%', answer;
            return;
        end if;
        perform pg_catalog.pg_sleep(0.005);
        v_slept := v_slept + 5;
    end loop;
end $$;

create procedure penstock.block(
    p_tenant text, p_agent text, p_reason text, p_for interval,
    inout expires timestamptz default null, inout epoch bigint default null)
language plpgsql as $$
begin
    expires := penstock.block_v1(p_tenant, p_agent, p_reason, null, p_for);
    commit;
    call penstock.publish_blocks(epoch);
end $$;

create procedure penstock.unblock(
    p_tenant text, p_agent text, p_reason text, inout answer text default null, inout epoch bigint default null)
language plpgsql as $$
begin
    answer := case when penstock.unblock_v1(p_tenant, p_agent, p_reason, null) then 'unblocked' else 'was not blocked' end;
    commit;
    call penstock.publish_blocks(epoch);
end $$;

-- Raises the epoch for changed blocks as soon as the pace of such raises allows it, and tells the replicas.
create procedure penstock.publish_blocks(inout epoch bigint default null)
language plpgsql as $$
declare
    v_wait_ms integer;
begin
    loop
        select r.epoch, r.wait_ms into strict epoch, v_wait_ms from penstock.raise_blocks_v1() r;
        commit;
        exit when v_wait_ms = 0;
        perform pg_catalog.pg_sleep(v_wait_ms / 1000.0);
    end loop;
    perform pg_catalog.pg_notify('penstock_control', epoch::text);
end $$;

revoke all on all routines in schema penstock from public;
grant execute on function
    penstock.beat_v1, penstock.control_state_v1, penstock.control_state_v2, penstock.acknowledge_v1, penstock.close_v1, penstock.give_stop_v1,
    penstock.block_v1, penstock.raise_blocks_v1, penstock.claim_duties_v1, penstock.renew_duties_v1,
    penstock.hand_over_duties_v1, penstock.hold_duty_v1, penstock.sweep_control_v1
    to penstock_gateway;
grant execute on function
    penstock.control_state_v1, penstock.control_state_v2, penstock.give_stop_v1, penstock.resume_v1, penstock.block_v1, penstock.unblock_v1,
    penstock.raise_blocks_v1
    to penstock_operator;
grant execute on procedure penstock.stop, penstock.stop_and_wait, penstock.block, penstock.publish_blocks
    to penstock_gateway, penstock_operator;
grant execute on procedure penstock.resume, penstock.unblock to penstock_operator;
grant select on penstock.registered, penstock.status, penstock.stops, penstock.blocks, penstock.duties, penstock.cluster
    to penstock_gateway, penstock_operator;
