-- Examples of anomalies that quote a customer, or are about a row of the customer ($4). Index anomaly_pkey: there are few kinds.
update :schema.anomaly set examples = coalesce((
  select jsonb_agg(example order by place) from jsonb_array_elements(examples) with ordinality as each(example, place)
  where not (example->>'example' = any ($4::text[]) or :fn.mentions_in_text(example::text, $2, $3))), '[]')
where account = $1 and exists (
  select from jsonb_array_elements(examples) as example
  where example->>'example' = any ($4::text[]) or :fn.mentions_in_text(example::text, $2, $3))
returning kind
