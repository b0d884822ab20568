-- Index anomaly_pkey. $5: how many examples are kept.
insert into :schema.anomaly (account, kind, last_at, examples)
select $1, $2, at, jsonb_build_array(
  jsonb_build_object('what', $3::text, 'example', $4::text, 'at', floor(extract(epoch from at) * 1000)))
from :schema.clock() as at
on conflict (account, kind) do update set
  count = anomaly.count + 1, last_at = excluded.last_at,
  examples = excluded.examples || coalesce((
    select jsonb_agg(example order by place) from (
      select example, place from jsonb_array_elements(anomaly.examples) with ordinality as kept(example, place)
      where example - 'at' <> (excluded.examples->0) - 'at'
      order by place limit $5::integer - 1
    ) as others), '[]')
