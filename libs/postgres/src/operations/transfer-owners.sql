-- Index transfer_pkey.
select given.reference, transfer.operation_id
from unnest($2::text[]) as given(reference)
join :schema.transfer on transfer.reference_hash = sha256(convert_to(given.reference, 'UTF8')) and transfer.account || '' = $1
