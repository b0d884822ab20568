-- What may be sent to the platform now: one row for each account that was paused, or that has made background requests.
-- Account '*' stands for all accounts; no account can have this name.

create table :schema.traffic (
  account text primary key,
  paused_by text,
  pause_note text,
  paused_at timestamptz,
  -- Until when the platform wants no requests that move money, and no others.
  creates_closed_until timestamptz,
  others_closed_until timestamptz,
  -- When the next background request of any kind may be made.
  next_at timestamptz
) with (fillfactor = 50);

-- When the next background request of each kind may be made. Its writers lock the row of the account before.
create table :schema.traffic_of_kind (
  account text not null,
  kind text not null,
  next_at timestamptz not null,
  primary key (account, kind)
) with (fillfactor = 50);

create table :schema.pause_entry (
  id bigint generated always as identity primary key,
  account text not null,
  what text not null check (what in ('paused', 'resumed')),
  by_whom text not null,
  note text not null,
  at timestamptz not null default :schema.clock()
);

create index pause_entry_account on :schema.pause_entry (account, id);

-- The last transaction that paused or resumed sending. A sequence: every transaction sees its present value, whatever its isolation.
create sequence :schema.pause_transaction;

-- Whether operations may be sent now.
create function :schema.may_send(p_account text)
returns boolean language plpgsql stable as $body$
begin
  return not exists (
    select from :schema.traffic
    where account = any (array[p_account, '*'])
      and (paused_at is not null or creates_closed_until > :schema.clock()));
end
$body$;

-- Pauses or resumes sending and keeps that in the history. False when there is nothing to change. Durable, whatever the role's
-- default is: a restart must not send what a person has paused.
create function :schema.set_pause(p_account text, p_is_paused boolean, p_by text, p_note text)
returns boolean language plpgsql volatile as $body$
begin
  perform :schema.make_durable();
  -- One after the other: pause_transaction has the one that was stored last, which no older snapshot sees.
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'pauses'), 0));
  -- See lock_sending.
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'sending', p_account), 0));
  perform setval(':schema.pause_transaction', pg_current_xact_id()::text::bigint);
  insert into :schema.traffic (account) values (p_account) on conflict do nothing;
  update :schema.traffic
  set paused_at = case when p_is_paused then :schema.clock() end,
    paused_by = case when p_is_paused then p_by end, pause_note = case when p_is_paused then p_note end
  where account = p_account and (paused_at is not null) <> p_is_paused;
  if not found then
    return false;
  end if;
  insert into :schema.pause_entry (account, what, by_whom, note)
  values (p_account, case when p_is_paused then 'paused' else 'resumed' end, p_by, p_note);
  return true;
end
$body$;

-- Reserves turns of background requests; 0 turns when the first is far away, or the platform wants none.
-- Turns that are lost in a crash of the server do no harm, so nothing waits for the disk (synchronous_commit).
create function :schema.reserve_turns(
  p_account text, p_kind text, p_count integer, p_gap_ms float8, p_kind_gap_ms float8, p_within_ms float8,
  out turns integer, out in_ms float8, out may_ask_again boolean)
language plpgsql volatile as $body$
declare
  p_now timestamptz;
  p_row :schema.traffic;
  p_next_of_kind timestamptz;
  p_start timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select * into p_row from :schema.traffic where account = p_account for update;
  if not found then
    insert into :schema.traffic (account) values (p_account) on conflict do nothing;
    select * into p_row from :schema.traffic where account = p_account for update;
  end if;
  p_now := :schema.clock();
  turns := 0;
  may_ask_again := false;
  if p_row.others_closed_until > p_now then
    in_ms := extract(epoch from p_row.others_closed_until - p_now) * 1000;
    return;
  end if;
  select next_at into p_next_of_kind from :schema.traffic_of_kind where account = p_account and kind = p_kind;
  p_start := greatest(p_now, p_row.next_at, p_next_of_kind);
  in_ms := extract(epoch from p_start - p_now) * 1000;
  -- The platform may ask to wait before a turn that is far away, and other kinds need the turns before it.
  if p_start > p_now + interval '100 milliseconds' then
    may_ask_again := in_ms <= p_within_ms;
    return;
  end if;
  turns := p_count;
  update :schema.traffic set next_at = p_start + p_count * p_gap_ms * interval '1 millisecond' where account = p_account;
  insert into :schema.traffic_of_kind (account, kind, next_at)
  values (p_account, p_kind, p_start + p_count * p_kind_gap_ms * interval '1 millisecond')
  on conflict (account, kind) do update set next_at = excluded.next_at;
end
$body$;
