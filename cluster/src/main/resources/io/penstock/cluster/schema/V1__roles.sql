-- The schema's groups and the version that a program reads before it starts.
-- Roles belong to the whole server: another database, or another start, may have made them.
do $$
declare
    name text;
begin
    foreach name in array array['penstock_gateway', 'penstock_operator'] loop
        if not exists (select from pg_catalog.pg_roles where rolname = name) then
            begin
                execute pg_catalog.format('create role %I nologin', name);
            exception when duplicate_object or unique_violation then
                null;
            end;
        end if;
    end loop;
end
$$;

-- A function is for those who are granted it, never for everybody. Only the form without a schema
-- can take the built-in right away.
alter default privileges revoke execute on routines from public;

-- Functions that run with their owner's rights resolve type names in temporary schemas first: nobody
-- but the owner makes temporary objects here. A migration by somebody who does not own the database
-- goes on, and doctor tells.
do $$
begin
    execute pg_catalog.format('revoke temporary, create on database %I from public',
                              pg_catalog.current_database());
exception when insufficient_privilege then
    raise notice 'temporary objects stay allowed: not the owner of the database';
end
$$;

revoke all on schema penstock from public;
grant usage on schema penstock to penstock_gateway, penstock_operator;

-- oldest_program: the oldest version of the schema whose programs still run with this one. A
-- migration that an older program cannot live with replaces the view.
create view penstock.schema_version as
select coalesce(max(h.version::int), 0) as version, 1 as oldest_program
  from penstock.schema_history h
 where h.success and h.version is not null;

grant select on penstock.schema_version to penstock_gateway, penstock_operator;
