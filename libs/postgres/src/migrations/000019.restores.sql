-- What a restore of this database to an earlier state has lost: one row for each account and restore. Account '*' stands for accounts that this
-- database does not know yet.

create table :schema.restore (
  account text not null,
  begun_at timestamptz not null,
  lost_from timestamptz not null,
  -- Some minutes after the restore: until then money of lost requests may still come.
  lost_to timestamptz not null,
  -- Until then, money of the lost time may be that of a request that is asked for again.
  remembered_until timestamptz not null,
  -- Until then, an account that is new here may have been added in the lost time.
  new_until timestamptz not null,
  by_whom text not null,
  note text not null,
  -- Nothing is sent until the lost time was swept.
  is_held boolean not null,
  -- No payout and no refund is sent until a person resumes: the platform lists none, so nothing finds out which of them were sent.
  money_out_held boolean not null,
  primary key (account, begun_at)
);

-- The pause of a restore that holds up operations of a kind: the oldest of what pauses everything, else of what pauses this kind; null when none does.
create function :schema.restore_pause(p_account text, p_kind text)
returns jsonb language plpgsql stable as $body$
declare
  p_pause :schema.restore;
begin
  select * into p_pause from :schema.restore where account = p_account and is_held order by begun_at limit 1;
  if p_pause.account is null and p_kind in ('payout', 'refund') then
    select * into p_pause from :schema.restore where account = p_account and money_out_held order by begun_at limit 1;
  end if;
  if p_pause.account is null then
    return null;
  end if;
  return jsonb_build_object(
    'account', p_pause.account, 'restore', case when p_pause.is_held then 'everything' else 'money-out' end,
    'by', p_pause.by_whom, 'note', p_pause.note, 'at', extract(epoch from p_pause.begun_at) * 1000);
end
$body$;

-- The accounts of p_accounts send nothing until their sweeps have read the lost time.
create function :schema.lose_time(p_accounts text[], p_lost :schema.restore)
returns void language plpgsql volatile as $body$
begin
  insert into :schema.restore
  select account, p_lost.begun_at, p_lost.lost_from, p_lost.lost_to, p_lost.remembered_until, p_lost.new_until, p_lost.by_whom,
    p_lost.note, account <> '*', account <> '*'
  from unnest(p_accounts) as given(account)
  on conflict do nothing;
  -- A reversal is listed at the time of what it reverses: what the lost time may have reversed is read again as well. A sweep that runs loses its lease:
  -- it would write how far it has read.
  update :schema.sweep
  set owner = null, claimed_until = null, watermark = least(watermark, p_lost.lost_from),
    recovered_at = case when recovered_at is not null then least(recovered_at, p_lost.lost_from - interval '5 days') end
  where account = any (p_accounts);
  update :schema.planned_work set due_at = :schema.clock() where kind = 'sweep' and account = any (p_accounts);
  insert into :schema.pause_entry (account, what, by_whom, note)
  select account, 'paused', p_lost.by_whom, p_lost.note from unnest(p_accounts) as given(account) where account <> '*';
end
$body$;

-- Notes that this database has lost everything since p_at, which was p_ago before by the clock of the caller: the earlier of both counts, because nobody
-- says whose clock p_at was read from. So does the last sweep that this database knows, if it is of the day before: had the backup been made later, it would
-- know a later one. Call it before the application starts.
create function :schema.begin_restore(
  p_at timestamptz, p_ago interval, p_followed interval, p_remembered interval, p_new interval, p_by text, p_note text,
  out accounts integer, out operations integer, out begun_at timestamptz)
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
  -- As callers read it, who have milliseconds.
  begun_at := date_trunc('milliseconds', p_now);
  p_lost := ('*', begun_at, least(p_at, p_now - p_ago, (select max(watermark) from :schema.sweep where watermark > p_at - interval '1 day')),
    p_now + p_followed, p_now + p_remembered, p_now + p_new, p_by, p_note, false, false);
  perform :schema.lose_time(p_accounts || '*'::text, p_lost);
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
  for p_lost in
    select * from :schema.restore where account = '*' and new_until > :schema.clock() order by begun_at
  loop
    insert into :schema.sweep (account, sweep_from, watermark)
    select account, p_lost.lost_from, p_lost.lost_from from unnest(p_new) as given(account)
    on conflict (account) do nothing;
    p_lost.by_whom := 'restore';
    p_lost.note := 'the account is new after a restore of the database';
    perform :schema.lose_time(p_new, p_lost);
  end loop;
end
$body$;

-- Ends the pauses of restores whose lost time an account's sweeps have read. Watermark and p_now are times of the platform's clock, those of
-- restores are times of this database's.
create function :schema.end_restores(p_account text, p_watermark timestamptz, p_now timestamptz)
returns void language plpgsql volatile as $body$
declare
  p_by text;
begin
  with ended as (
    update :schema.restore set is_held = false
    where account = p_account and is_held and p_watermark >= p_now - (:schema.clock() - lost_to)
    returning by_whom
  )
  select max(by_whom) into p_by from ended;
  if p_by is not null and not exists (select from :schema.restore where account = p_account and is_held) then
    insert into :schema.pause_entry (account, what, by_whom, note) values (p_account, 'resumed', p_by, 'the lost time was swept');
  end if;
end
$body$;

-- Ends what restores pause, 'everything' or 'money-out', because a person has said so. Account '*' stands for all. A restore after p_seen stays: whoever
-- decided had not seen it. False when nothing ends.
create function :schema.resume_restores(p_account text, p_what text, p_seen timestamptz, p_by text, p_note text)
returns boolean language plpgsql volatile as $body$
begin
  perform :schema.make_durable();
  if p_what = 'money-out' then
    update :schema.restore set money_out_held = false
    where money_out_held and begun_at <= p_seen and (p_account = '*' or account = p_account);
  elsif p_what = 'everything' then
    update :schema.restore set is_held = false where is_held and begun_at <= p_seen and (p_account = '*' or account = p_account);
  else
    raise exception 'a restore pauses no %', p_what;
  end if;
  if not found then
    return false;
  end if;
  insert into :schema.pause_entry (account, what, by_whom, note) values (p_account, 'resumed', p_by, p_note);
  return true;
end
$body$;
