-- Agents' keys, revisions of the cluster-wide configuration, and the keys that seal session ids.
-- None of these functions is hot: each sets its own search path.

-- A key itself is nowhere: only its digest.
create table penstock.agent_key (
    id         text        primary key check (id ~ '^[A-Za-z0-9._-]{1,128}$'),
    sha256     text        not null unique check (sha256 ~ '^[0-9a-f]{64}$'),
    tenant     text        not null check (tenant ~ '^[A-Za-z0-9._-]{1,128}$'),
    agent      text        not null check (octet_length(agent) between 1 and 256),
    created_at timestamptz not null,
    created_by text        not null check (length(created_by) <= 256),
    revoked_at timestamptz,
    revoked_by text        check (length(revoked_by) <= 256)
);

-- A revision never changes. The document is canonical JSON, so that equal rules have equal hashes.
create table penstock.revision (
    revision   bigint      primary key check (revision >= 1),
    document   text        not null check (octet_length(document) <= 4194304),
    hash       text        not null,
    applied_at timestamptz not null,
    applied_by text        not null check (length(applied_by) <= 256),
    reason     text        check (length(reason) <= 1000),
    epoch      bigint      not null
);
create index revision_hash on penstock.revision (hash);

create table penstock.seal_key (
    id         integer     primary key generated always as identity,
    secret     bytea       not null check (length(secret) = 32),
    created_at timestamptz not null
);

-- 366 random bits of the server's strong source, in 32 bytes.
create function penstock.new_seal_key() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into penstock.seal_key (secret, created_at)
    values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
                   || uuid_send(gen_random_uuid())), clock_timestamp())
$$;
select penstock.new_seal_key();
revoke execute on function penstock.new_seal_key() from public;

-- The two newest keys, newest first, and how old they are.
create function penstock.seal_keys_v1() returns table (id integer, secret bytea, age_us bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select k.id, k.secret, (extract(epoch from clock_timestamp() - k.created_at) * 1000000)::bigint
      from penstock.seal_key k order by k.id desc limit 2
$$;

-- Makes a new key and forgets all but the last two: sessions sealed with an older one are over.
-- The last but one stays in use until every replica has had time to learn the new one.
create function penstock.rotate_seal_keys_v1(p_actor text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_epoch bigint := penstock.keys_changed_v1();
begin
    perform penstock.new_seal_key();
    delete from penstock.seal_key k
     where k.id not in (select n.id from penstock.seal_key n order by n.id desc limit 2);
    perform penstock.journal_control_v1('seal-keys-rotated', v_epoch,
        coalesce(p_actor, session_user::text), null, null, null, jsonb_build_object('login', session_user));
    return v_epoch;
end
$$;

-- Stores a new key's digest. Safe to repeat after a lost answer. Returns the epoch, or null if the
-- id is taken by another key.
create function penstock.new_key_v1(
    p_id text, p_sha256 text, p_tenant text, p_agent text, p_actor text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_actor constant text := coalesce(p_actor, session_user::text);
    v_epoch bigint;
begin
    insert into penstock.agent_key as k (id, sha256, tenant, agent, created_at, created_by)
    values (p_id, p_sha256, p_tenant, p_agent, clock_timestamp(), v_actor)
    on conflict (id) do update set created_by = k.created_by
     where k.sha256 = excluded.sha256 and k.tenant = excluded.tenant and k.agent = excluded.agent;
    if not found then
        return null;
    end if;
    v_epoch := penstock.keys_changed_v1();
    perform penstock.journal_control_v1('key-created', v_epoch, v_actor, null, p_tenant, p_agent,
        jsonb_build_object('id', p_id, 'login', session_user));
    return v_epoch;
end
$$;

-- Revokes a key. Safe to repeat: each time raises the epoch, so that the caller always has one to
-- wait for. Returns it, or null if there is no such key.
create function penstock.revoke_key_v1(p_id text, p_reason text, p_actor text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_actor constant text := coalesce(p_actor, session_user::text);
    v_epoch bigint;
    v_tenant text;
    v_agent text;
begin
    update penstock.agent_key k
       set revoked_at = coalesce(k.revoked_at, clock_timestamp()),
           revoked_by = coalesce(k.revoked_by, v_actor)
     where k.id = p_id
    returning k.tenant, k.agent into v_tenant, v_agent;
    if not found then
        return null;
    end if;
    v_epoch := penstock.keys_changed_v1();
    perform penstock.journal_control_v1('key-revoked', v_epoch, v_actor, p_reason, v_tenant, v_agent,
        jsonb_build_object('id', p_id, 'login', session_user));
    return v_epoch;
end
$$;

-- Makes a document the next revision if the current one is still the expected one; the epoch rises
-- in the same transaction. No row: somebody else was first. For internal use.
create function penstock.next_revision(
    p_expected bigint, p_document text, p_reason text, p_actor text)
returns table (revision bigint, epoch bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_lease_ms integer := (p_document::jsonb ->> 'leaseMillis')::integer;
begin
    revision := p_expected + 1;
    epoch := penstock.adopt_revision_v1(p_expected, revision, v_lease_ms);
    if epoch is null then
        return;
    end if;
    insert into penstock.revision (revision, document, hash, applied_at, applied_by, reason, epoch)
    values (next_revision.revision, p_document,
            encode(sha256(convert_to(p_document, 'UTF8')), 'hex'), clock_timestamp(), p_actor,
            p_reason, next_revision.epoch);
    perform penstock.journal_control_v1('revision', epoch, p_actor, p_reason, null, null,
        jsonb_build_object('revision', revision, 'login', session_user));
    return next;
end
$$;
revoke execute on function penstock.next_revision(bigint, text, text, text) from public;

create function penstock.apply_revision_v1(
    p_expected bigint, p_document text, p_reason text, p_actor text)
returns table (revision bigint, epoch bigint)
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select n.revision, n.epoch
      from penstock.next_revision(p_expected, p_document, p_reason,
                                  coalesce(p_actor, session_user::text)) n
$$;

-- The first revision comes from the file of the first replica: a gateway may give it, and no other.
create function penstock.first_revision_v1(p_document text, p_actor text)
returns table (revision bigint, epoch bigint)
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select n.revision, n.epoch
      from penstock.next_revision(0, p_document, 'first start', coalesce(p_actor, session_user::text)) n
$$;

create view penstock.revisions as
    select r.revision, r.hash, r.document, r.applied_at, r.applied_by, r.reason, r.epoch,
           r.revision = c.revision as current
      from penstock.revision r cross join penstock.control c;

-- What a replica lets in.
create view penstock.valid_keys as
    select k.id, k.sha256, k.tenant, k.agent from penstock.agent_key k where k.revoked_at is null;

-- What a replica does not let in, even if its own keys file still holds it.
create view penstock.revoked_keys as
    select k.id, k.sha256, k.tenant, k.agent from penstock.agent_key k where k.revoked_at is not null;

-- What an operator sees.
create view penstock.agent_keys as
    select k.id, k.tenant, k.agent, k.created_at, k.created_by, k.revoked_at, k.revoked_by
      from penstock.agent_key k;

revoke all on all routines in schema penstock from public;
grant execute on function
    penstock.seal_keys_v1(), penstock.first_revision_v1(text, text)
    to penstock_gateway;
grant execute on function
    penstock.new_key_v1(text, text, text, text, text), penstock.revoke_key_v1(text, text, text),
    penstock.apply_revision_v1(bigint, text, text, text), penstock.rotate_seal_keys_v1(text),
    penstock.first_revision_v1(text, text)
    to penstock_operator;
grant select on penstock.revisions to penstock_gateway, penstock_operator;
grant select on penstock.valid_keys, penstock.revoked_keys to penstock_gateway;
grant select on penstock.agent_keys to penstock_operator;
