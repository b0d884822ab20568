-- Index bare_request_age.
with old as (
  select account, id, resource from :schema.bare_request
  where account = $1 and created_at <= (select :schema.clock()) - interval '31 days'
  order by created_at limit $2 for update skip locked
)
delete from :schema.bare_request using old
where bare_request.account = old.account and bare_request.id = old.id and bare_request.resource = old.resource
returning bare_request.id
