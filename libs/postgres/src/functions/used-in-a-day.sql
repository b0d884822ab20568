-- Adds up the money that was recorded or approved in the last day, or waits for approval or to be sent; without one operation. Indexes operation_of_kind, operation_approved and operation_queue_listed.
create function :fn.used_in_a_day(p_account text, p_kind text, p_currency text, p_but_id text)
returns numeric language plpgsql volatile as $body$
declare
  p_since constant timestamptz := :schema.clock() - interval '24 hours';
begin
  return (
    select coalesce(sum(amount_minor::numeric), 0) from (
      select id, amount_minor from :schema.operation
      where kind = p_kind and kind <> 'payment' and created_at > p_since
        and currency = p_currency and state <> 'failed' and account || '' = p_account
      union all
      select id, amount_minor from :schema.operation
      where kind = p_kind and created_at <= p_since and approved_at > p_since and state <> 'failed'
        and currency = p_currency and account || '' = p_account
      union all
      select id, amount_minor from :schema.operation_queue queued join :schema.operation using (id, account)
      where listed_as = 'unsent' and account = p_account and kind = p_kind and created_at <= p_since and state = 'created'
        and coalesce(approved_at <= p_since, true)
        and currency = p_currency
    ) as used
    where id <> p_but_id);
end
$body$;
