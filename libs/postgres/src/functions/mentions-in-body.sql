create function :fn.mentions_in_body(p_body bytea, p_digits text[], p_hash text)
returns boolean language sql immutable parallel safe as $body$
  select exists (select from unnest(p_digits) as digits where position(convert_to(digits, 'UTF8') in p_body) > 0)
    or position(convert_to(p_hash, 'UTF8') in p_body) > 0
    or position(convert_to(upper(p_hash), 'UTF8') in p_body) > 0
$body$;
