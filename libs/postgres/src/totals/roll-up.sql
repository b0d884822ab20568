-- See migrations/000020.totals.sql.
select :schema.roll_up_totals($1) as added
