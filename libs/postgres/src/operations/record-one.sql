-- Records one operation, or returns the one that it conflicts with; see functions/record-operation.sql.
select :fn.record_operation($1::jsonb, $2::integer, $3::float8) as result
