-- Counts duplicates; an unrecognised delivery is queued again. See count_duplicates.
select :schema.count_duplicates($1, $2, $3)
