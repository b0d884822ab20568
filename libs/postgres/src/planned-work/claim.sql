-- Claims planned work that is due; see functions/claim-due-work.sql.
select account
from :fn.claim_due_work(
  jsonb_build_array(jsonb_build_object('most', $3::integer, 'lanes', jsonb_build_array(jsonb_build_object('lane', $1::text, 'most', $3::integer)))),
  $2, $3, $4)
order by due_at, place
