-- Finds the others, or the limit, that would refuse an operation that waits for approval; see functions/refusal-of.sql. Indexes operation_guard_pkey, operation_pkey.
select :fn.refusal_of($1::jsonb)::text as refusal
