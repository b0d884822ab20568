-- See migrations/000020.totals.sql.
select taken, refused from :schema.roll_up_totals($1)
