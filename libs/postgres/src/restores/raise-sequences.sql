-- Runs once, before any process. See functions/sequences.sql.
select setval(sequence, most)::text as next from :fn.sequences() where most > last
