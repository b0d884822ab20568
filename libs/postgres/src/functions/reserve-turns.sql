-- Reserves turns of background requests; 0 turns when the first is far away, or the platform wants none.
-- Turns that are lost in a crash of the server do no harm, so nothing waits for the disk (synchronous_commit).
create function :fn.reserve_turns(
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
