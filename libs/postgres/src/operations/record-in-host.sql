-- Records one operation in the transaction of the host; see functions/record-in-host.sql.
select :fn.record_in_host($1::text, $2::text::jsonb, $3::text::float8, $4::text::float8) as result
