-- Records one operation, alone or in the transaction of the host; see functions/record-operations.sql.
select :fn.record_operations(jsonb_build_array($1::jsonb), $2::float8, $3::float8, false) as result
