-- True if an operation counts for what is sent in 24 hours: from its recording or approval on, and while it waits for approval.
create function :fn.is_of_last_day(p_operation :schema.operation)
returns boolean language sql stable as $body$
  select p_operation.state <> 'failed'
    and (p_operation.state = 'created' or greatest(p_operation.created_at, p_operation.approved_at) > :schema.clock() - interval '24 hours')
$body$;
