-- Records many operations in one commit; see functions/record-operations.sql.
select :fn.record_operations($1::jsonb, $2::float8, $3::float8, $4::boolean) as result
