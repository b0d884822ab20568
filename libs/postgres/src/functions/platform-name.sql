-- The name of what belongs to one operation only: of the resource with an id, by the kind of its operation, or of a transfer. A hash,
-- because a text of the platform may have any length. The planner replaces it by its query.
create function :fn.platform_name(p_kind text, p_text text)
returns bytea language sql stable parallel safe as $body$
  select sha256(convert_to(p_kind || chr(10) || p_text, 'UTF8'))
$body$;
