-- Records many operations in one commit; see record_operations in migrations/000011.operation-functions.sql.
select :schema.record_operations($1::jsonb, $2::float8, $3::float8, $4::boolean) as result
