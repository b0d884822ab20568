-- Index operation_pkey.
select entry->>0 as at, entry->>1 as via, entry->>2 as what, entry->>3 as detail
from :schema.operation cross join lateral jsonb_array_elements(history) with ordinality as each(entry, number)
where account = $1 and id = $2
order by number
