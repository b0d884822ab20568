-- Fails if the statement has run for longer than p_late_ms. Its caller may have given up, and must not find a payment
-- later that it believes was not recorded. Call it after all locks, as the last step.
create function :fn.refuse_late(p_late_ms float8)
returns void language plpgsql volatile as $body$
begin
  if clock_timestamp() - statement_timestamp() > p_late_ms * interval '1 millisecond' then
    raise exception 'recording took longer than % ms, so nothing was recorded', p_late_ms using errcode = 'query_canceled';
  end if;
end
$body$;
