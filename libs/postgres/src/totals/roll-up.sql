-- See migrations/000021.totals.sql.
select :schema.roll_up_totals($1) as added
