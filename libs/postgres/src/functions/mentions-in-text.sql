-- True if a text or the bytes of a body mention a person: by the digits of a phone number, in any of its forms, or by their hash.
create function :fn.mentions_in_text(p_text text, p_digits text[], p_hash text)
returns boolean language sql immutable parallel safe as $body$
  select exists (select from unnest(p_digits) as digits where strpos(p_text, digits) > 0) or strpos(lower(p_text), p_hash) > 0
$body$;
