-- Returns the money that an operation expects at a till, to find the operations that may own a transaction: its amount, and whether anybody may pay it. Null if it
-- expects nothing. The planner replaces it by its query.
create function :fn.expected_money(p_any_payer boolean, p_phone_hash bytea, p_amount_minor text, p_currency text)
returns text language sql immutable parallel safe as $body$
  select case when p_any_payer then 'any ' || p_amount_minor || ' ' || p_currency
    when p_phone_hash is not null then p_amount_minor || ' ' || p_currency end
$body$;
