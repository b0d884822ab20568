-- True if a body has one of several ids: as a whole text, or as a segment of a path.
create function :fn.mentions_one_of(p_body bytea, p_ids text[])
returns boolean language sql immutable parallel safe as $body$
  select exists (
    select from unnest(p_ids) as id, unnest(array['"', '/']) as before, unnest(array['"', '/', '?']) as after
    where position(convert_to(before || id || after, 'UTF8') in p_body) > 0)
$body$;
