/**
 * The tables of a store on PostgreSQL and the function that makes a commit, in steps: each takes a
 * database from one version to the next. Names are not qualified: they are in the first schema of the
 * role's search_path.
 *
 * All commits take one row lock, so they follow each other, and versions grow in the order in which
 * commits become visible. The services merge their changes into few commits, so that this order is
 * cheap. `SERIALIZABLE` with retries, or locks by key and a horizon of transactions under way, would let
 * commits of several accounts go side by side; those of one account meet at its counters in any case. A
 * check of an absent entry needs no lock of its own. The lock is `for update` on a row that
 * never changes, so it leaves no dead row versions behind.
 *
 * A writer is one commit at a time; the server stores its last commit with its number. A commit
 * that is sent again after its connection broke finds it there, and is not made twice.
 *
 * A version is a number of a sequence, and two random bytes: a database that lost its last commits in a
 * failover may give out the same number again.
 */
export const steps: readonly string[] = [
  `
create table switchboard_entries (
  key bytea primary key,
  kind smallint not null,
  value bytea,
  number bigint,
  version bytea not null,
  ends_at bigint
) with (fillfactor = 85);
create index switchboard_entries_ends_at on switchboard_entries (ends_at) where ends_at is not null;
create table switchboard_writers (
  writer uuid primary key,
  number bigint not null,
  version bytea,
  at bigint not null
) with (fillfactor = 20);
create table switchboard_watched (key bytea primary key, ends_at bigint not null);
create table switchboard_order (id integer primary key);
insert into switchboard_order values (1);
create sequence switchboard_version;

create function switchboard_wrapped_sum(a bigint, b bigint) returns bigint
language sql immutable as $$
  select ((a::numeric + b::numeric + 27670116110564327424) % 18446744073709551616
    - 9223372036854775808)::bigint
$$;

create function switchboard_commit(
  p_writer uuid, p_number bigint,
  check_keys bytea[], check_versions bytea[],
  delete_keys bytea[],
  set_keys bytea[], set_kinds bigint[], set_values bytea[], set_numbers bigint[],
  set_spans bigint[],
  count_keys bytea[], count_kinds bigint[], count_numbers bigint[]
) returns bytea
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  made_number bigint;
  made_version bytea;
  now_ms bigint;
  stamp text;
  new_version bytea;
  counted bigint;
  notice text;
begin
  perform 1 from switchboard_order where id = 1 for update;
  select w.number, w.version into made_number, made_version
    from switchboard_writers w where w.writer = p_writer;
  if made_number = p_number then return made_version; end if;
  if made_number > p_number then return null; end if;
  now_ms := (extract(epoch from clock_timestamp()) * 1000)::bigint;
  if cardinality(check_keys) > 0 and exists (
    select 1 from unnest(check_keys, check_versions) as c(key, version)
      left join switchboard_entries e
        on e.key = c.key and (e.ends_at is null or e.ends_at > now_ms)
      where e.version is distinct from c.version
  ) then
    new_version := null;
  else
    stamp := lpad(to_hex(nextval('switchboard_version')), 16, '0')
      || lpad(to_hex((random() * 65535)::integer), 4, '0');
    new_version := decode(stamp, 'hex');
    if cardinality(delete_keys) > 0 then
      delete from switchboard_entries e using unnest(delete_keys) as d(key) where e.key = d.key;
    end if;
    if cardinality(set_keys) > 0 then
      insert into switchboard_entries (key, kind, value, number, version, ends_at)
        select
          case when s.kind < 10 then s.key
            else s.key || decode('02', 'hex') || convert_to(stamp, 'UTF8') || decode('00', 'hex')
          end,
          s.kind % 10, s.value, s.number, new_version, now_ms + s.span
        from unnest(set_keys, set_kinds, set_values, set_numbers, set_spans)
          as s(key, kind, value, number, span)
      on conflict (key) do update set
        kind = excluded.kind, value = excluded.value, number = excluded.number,
        version = excluded.version, ends_at = excluded.ends_at;
    end if;
    if cardinality(count_keys) > 0 then
      delete from switchboard_entries e using unnest(count_keys) as c(key)
        where e.key = c.key and e.ends_at <= now_ms;
      insert into switchboard_entries as e (key, kind, number, version)
        select c.key, 3, c.number, new_version
        from unnest(count_keys, count_kinds, count_numbers) as c(key, kind, number)
        where c.kind = 1
      on conflict (key) do update set
        number = switchboard_wrapped_sum(e.number, excluded.number), version = excluded.version
        where e.kind = 3;
      get diagnostics counted = row_count;
      insert into switchboard_entries as e (key, kind, number, version)
        select c.key, 3, c.number, new_version
        from unnest(count_keys, count_kinds, count_numbers) as c(key, kind, number)
        where c.kind = 2
      on conflict (key) do update set
        number = case when e.number # (-9223372036854775808) <= excluded.number # (-9223372036854775808)
          then e.number else excluded.number end,
        version = excluded.version
        where e.kind = 3;
      get diagnostics made_number = row_count;
      counted := counted + made_number;
      insert into switchboard_entries as e (key, kind, number, version)
        select c.key, 3, c.number, new_version
        from unnest(count_keys, count_kinds, count_numbers) as c(key, kind, number)
        where c.kind = 3
      on conflict (key) do update set
        number = case when e.number # (-9223372036854775808) >= excluded.number # (-9223372036854775808)
          then e.number else excluded.number end,
        version = excluded.version
        where e.kind = 3;
      get diagnostics made_number = row_count;
      if counted + made_number <> cardinality(count_keys) then
        raise exception 'Cannot count with a value that is no counter' using errcode = '22023';
      end if;
    end if;
    select string_agg(encode(w.key, 'hex'), ' ') into notice from switchboard_watched w
      where w.ends_at > now_ms
        and (w.key = any(set_keys) or w.key = any(delete_keys) or w.key = any(count_keys));
    if notice is not null then perform pg_notify('switchboard', left(notice, 7900)); end if;
  end if;
  insert into switchboard_writers as w (writer, number, version, at)
    values (p_writer, p_number, new_version, now_ms)
    on conflict (writer) do update set
      number = excluded.number, version = excluded.version, at = excluded.at;
  return new_version;
end
$$;
`,
];

/** The version of the tables that this program uses. */
export const schemaVersion = steps.length;

/** Holds off other services while the tables are made; a number of Switchboard's own. */
export const migrationLock = 5_047_471;
