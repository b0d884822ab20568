-- Index platform_name_pkey.
select given.reference, named.operation_id
from unnest($2::text[]) as given(reference)
join :schema.platform_name named on named.name = :fn.platform_name('transfer', given.reference) and named.account || '' = $1
