-- Programs of two neighbouring versions of the schema run with it, and no others: nobody tries older ones side by side with
-- it. A version that the version before cannot live with replaces the view again, and so does one that comes in several
-- migrations, which is further from its neighbour than one.
create or replace view penstock.schema_version as
select coalesce(max(h.version::int), 0) as version, greatest(coalesce(max(h.version::int), 0) - 1, 1) as oldest_program
  from penstock.schema_history h
 where h.success and h.version is not null;
