-- See functions/roll-up-totals.sql.
select taken, refused from :fn.roll_up_totals($1)
