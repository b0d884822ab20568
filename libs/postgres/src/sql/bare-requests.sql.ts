const COLUMNS = `id, resource, platform_id, extract(epoch from sent_at) * 1000 as sent_at, money::text`;

/** How long a request of the host itself is kept. */
const YOUNG = `bare_request.created_at > :schema.clock() - interval '31 days'`;

/** Whoever writes later knows not all that was written before: an id once known stays, and so does that its money is known. */
export const KEEP_BARE_REQUEST = `
insert into :schema.bare_request
  (account, id, resource, platform_id, sent_at, money, amount_hash, payer_hash, created_at)
values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6::jsonb, decode($7, 'hex'), decode($8, 'hex'), :schema.clock())
on conflict (id, resource, account) do update set
  platform_id = coalesce(excluded.platform_id, bare_request.platform_id),
  money = case when bare_request.money is not null then excluded.money end,
  amount_hash = case when bare_request.money is not null then excluded.amount_hash end,
  payer_hash = case when bare_request.money is not null then excluded.payer_hash end,
  sent_at = excluded.sent_at, created_at = excluded.created_at`;

export const FIND_BARE_REQUEST = `
select ${COLUMNS} from :schema.bare_request where account = $1 and resource = $2 and id = $3 and ${YOUNG}`;

const candidates = (who: string) => `
select ${COLUMNS} from :schema.bare_request
where account = $1 and amount_hash = decode($2, 'hex')${who} and ${YOUNG}
  and sent_at between to_timestamp($3::float8 / 1000) and to_timestamp($4::float8 / 1000)
order by sent_at limit 10`;

/** Index bare_request_candidate, in its order. */
export const FIND_BARE_CANDIDATES = candidates(" and payer_hash = decode($5, 'hex')");

/** Index bare_request_candidate_of_any, in its order. */
export const FIND_BARE_CANDIDATES_OF_ANY = candidates('');

/** Index bare_request_age. */
export const REMOVE_BARE_REQUESTS = `
with old as (
  select account, id, resource from :schema.bare_request
  where account = $1 and created_at <= (select :schema.clock()) - interval '31 days'
  order by created_at limit $2 for update skip locked
)
delete from :schema.bare_request request using old
where request.account = old.account and request.id = old.id and request.resource = old.resource
returning request.id`;
