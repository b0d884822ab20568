-- Records one operation, or returns the one that it conflicts with; see record_operation in migrations/000011.operation-functions.sql.
select :schema.record_operation($1::jsonb, $2::integer, $3::float8) as result
