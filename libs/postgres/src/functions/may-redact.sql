-- True if a final operation can be redacted. One that failed after it was sent, or failed in part, stays for 31 days, because money may still move for it. A
-- payout stays for as long as it refuses an equal one after it was paid.
create function :fn.may_redact(p_operation :schema.operation, p_now timestamptz)
returns boolean language sql stable parallel safe as $body$
  select (p_operation.state not in ('failed', 'partially_succeeded') or p_operation.sent_at is null
      or p_operation.reason in ('rejected', 'not_sent', 'declined') or p_operation.updated_at <= p_now - interval '31 days')
    and (p_operation.kind <> 'payout' or p_operation.updated_at <= p_now - interval '10 minutes')
$body$;
