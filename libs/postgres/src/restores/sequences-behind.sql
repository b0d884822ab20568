-- Columns whose next value is there already; see functions/sequences.sql.
select name from :fn.sequences() where most > last order by name
