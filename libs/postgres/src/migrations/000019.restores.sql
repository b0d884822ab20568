-- What a restore of this database to an earlier state has lost: one row for each account. Account '*' stands for accounts that this
-- database does not know yet.

create table :schema.restore (
  account text primary key,
  begun_at timestamptz not null,
  lost_from timestamptz not null,
  -- Some minutes after the restore: until then money of lost requests may still come.
  lost_to timestamptz not null,
  -- Until then, money of the lost time may be that of a request that is asked for again.
  remembered_until timestamptz not null,
  -- Until then, an account that is new here may have been added in the lost time.
  new_until timestamptz not null,
  swept boolean not null default false
);

-- The accounts of p_accounts send nothing until their sweeps have read the lost time. A pause of a person stays as it is.
create function :schema.lose_time(p_accounts text[], p_lost :schema.restore, p_by text, p_note text)
returns void language plpgsql volatile as $body$
begin
  insert into :schema.restore as known (account, begun_at, lost_from, lost_to, remembered_until, new_until)
  select account, p_lost.begun_at, p_lost.lost_from, p_lost.lost_to, p_lost.remembered_until, p_lost.new_until
  from unnest(p_accounts) as given(account)
  on conflict (account) do update set
    begun_at = excluded.begun_at, lost_to = excluded.lost_to, swept = false,
    remembered_until = excluded.remembered_until, new_until = excluded.new_until,
    lost_from = case when known.lost_to > excluded.lost_from then least(known.lost_from, excluded.lost_from)
      else excluded.lost_from end;
  update :schema.sweep set watermark = least(watermark, p_lost.lost_from) where account = any (p_accounts);
  update :schema.planned_work set due_at = :schema.clock() where kind = 'sweep' and account = any (p_accounts);
  insert into :schema.traffic (account)
  select account from unnest(p_accounts) as given(account) where account <> '*' on conflict do nothing;
  with paused as (
    update :schema.traffic set paused_at = p_lost.begun_at, paused_by = p_by, pause_note = p_note
    where account = any (p_accounts) and account <> '*' and paused_at is null
    returning account
  )
  insert into :schema.pause_entry (account, what, by_whom, note) select account, 'paused', p_by, p_note from paused;
end
$body$;

-- Notes that this database has lost everything since p_at. Call it before the application starts.
create function :schema.begin_restore(
  p_at timestamptz, p_followed interval, p_remembered interval, p_new interval, p_by text, p_note text, out accounts integer, out operations integer)
language plpgsql volatile as $body$
declare
  p_now timestamptz;
  p_lost :schema.restore;
  p_accounts constant text[] := array(select name from :schema.account);
begin
  perform :schema.make_durable();
  -- As set_pause does for account '*': it waits for, and holds up, all recordings that send at once.
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'pauses'), 0));
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'sending', '*'), 0));
  perform setval(':schema.pause_transaction', pg_current_xact_id()::text::bigint);
  p_now := :schema.clock();
  p_lost := ('*', p_now, p_at, p_now + p_followed, p_now + p_remembered, p_now + p_new, false);
  perform :schema.lose_time(p_accounts || '*'::text, p_lost, p_by, p_note);
  with doubted as (
    update :schema.operation
    set state = 'unknown', version = version + 1, sent_at = created_at, due_at = p_now, claimed_until = null, updated_at = p_now
    where state = 'created'
    returning account, id
  ), entered as (
    insert into :schema.operation_history (account, operation_id, at, via, what, detail)
    select account, id, p_now, 'review', line.what, line.detail from doubted
    cross join (values (1, 'state', 'created to unknown'), (2, 'note', p_note)) as line(place, what, detail)
    order by account, id, place
  )
  select count(*) into operations from doubted;
  accounts := cardinality(p_accounts);
end
$body$;

-- Notes that accounts are in use. One that is new soon after a restore may have been added in the time that was lost: it may have sent as well.
create function :schema.note_starts(p_accounts text[])
returns void language plpgsql volatile as $body$
declare
  p_new text[];
  p_lost :schema.restore;
begin
  with noted as (
    insert into :schema.account (name) select unnest(p_accounts) order by 1
    on conflict (name) do nothing
    returning name
  )
  select array_agg(name) into p_new from noted;
  if p_new is null then
    return;
  end if;
  select * into p_lost from :schema.restore where account = '*' and new_until > :schema.clock();
  if found then
    insert into :schema.sweep (account, sweep_from, watermark)
    select account, p_lost.lost_from, p_lost.lost_from from unnest(p_new) as given(account)
    on conflict (account) do nothing;
    perform :schema.lose_time(p_new, p_lost, 'restore', 'the account is new after a restore of the database');
  end if;
end
$body$;

-- Ends the pause of a restore when an account's sweeps have read what was lost. The platform lists no payouts, so an account with payouts stays
-- paused until a person has compared them, and resumes it.
create function :schema.end_restore(p_account text, p_watermark timestamptz)
returns void language plpgsql volatile as $body$
declare
  p_begun_at timestamptz;
begin
  update :schema.restore set swept = true
  where account = p_account and not swept and lost_to <= p_watermark
  returning begun_at into p_begun_at;
  if p_begun_at is null or exists (
    select from :schema.operation where kind = 'payout' and account || '' = p_account) then
    return;
  end if;
  perform from :schema.traffic where account = p_account and paused_at = p_begun_at;
  if found then
    perform :schema.set_pause(p_account, false, (select paused_by from :schema.traffic where account = p_account),
      'the lost time was swept');
  end if;
end
$body$;
