-- Counts duplicates; an unrecognised delivery is queued again. See count_duplicates.
select :fn.count_duplicates($1, $2, $3)
