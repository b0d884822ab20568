create function :fn.used_in_a_day(p_account text, p_kind text, p_currency text)
returns numeric language plpgsql volatile as $body$
declare
  p_since constant timestamptz := :schema.clock() - interval '24 hours';
begin
  return (
    select coalesce(sum(amount_minor::numeric), 0) from (
      select amount_minor from :schema.operation
      where kind = p_kind and kind <> 'payment' and created_at > p_since
        and currency = p_currency and state <> 'failed' and account || '' = p_account
      union all
      select amount_minor from :schema.operation
      where kind = p_kind and kind <> 'payment' and created_at <= p_since and (state = 'created' or approved_at > p_since)
        and (state = 'created' or approved_at is not null)
        and currency = p_currency and state <> 'failed' and account || '' = p_account
    ) as used);
end
$body$;
