-- Operations of a time that are not redacted: final ones by their last change, the others by their beginning. The planner replaces it by its query. Indexes
-- operation_finished and operation_watched.
create function :fn.personal_operations(p_account text, p_from timestamptz, p_to timestamptz)
returns setof :schema.operation language sql stable parallel safe as $body$
  select * from :schema.operation
  where account = p_account and not redacted
    and (state in ('succeeded', 'partially_succeeded', 'failed', 'reversed') and updated_at >= p_from and updated_at < p_to
      or state not in ('succeeded', 'partially_succeeded', 'failed', 'reversed') and created_at >= p_from and created_at < p_to)
$body$;
