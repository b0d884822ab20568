-- True if an operation mentions a person, in any of its columns.
create function :fn.mentions_in_operation(p_operation :schema.operation, p_digits text[], p_hash text)
returns boolean language sql stable parallel safe as $body$
  select p_operation.phone_hash = decode(p_hash, 'hex') or :fn.mentions_in_text(concat_ws(' ', p_operation.personal, p_operation.transaction,
    p_operation.errors, p_operation.cause_detail, p_operation.outcome, p_operation.request, p_operation.idempotency_key,
    p_operation.approved_by), p_digits, p_hash)
$body$;
