-- Operations of a time that are not redacted, by their recording. The planner replaces it by its query. Index operation_personal.
create function :fn.personal_operations(p_account text, p_from timestamptz, p_to timestamptz)
returns setof :schema.operation language sql stable parallel safe as $body$
  select * from :schema.operation
  where account = p_account and not redacted
    and created_at >= p_from and created_at < p_to
$body$;
