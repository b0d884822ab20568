export const COUNT_SIGHTING = `
insert into :schema.sighting as seen (account, what, example, last_at) values ($1, $2, $3, :schema.clock())
on conflict (account, what) do update set
  count = seen.count + 1, example = excluded.example, last_at = excluded.last_at`;

export const SIGHTINGS = `
select what, example, count::text, (extract(epoch from last_at) * 1000)::text as last_at
from :schema.sighting where account = $1 order by what`;
