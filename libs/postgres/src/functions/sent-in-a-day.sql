-- What some operations send to one destination in 24 hours.
create function :fn.sent_in_a_day(p_account text, p_ids text[], p_key text)
returns numeric language plpgsql volatile as $body$
begin
  return (
    select coalesce(sum((counted->>p_key)::numeric), 0) from :schema.operation
    where id = any (p_ids) and account || '' = p_account and :fn.is_of_last_day(operation));
end
$body$;
