/** The first call ever fixes where sweeps start; a claim may have made the row before. */
export const SWEEP_PROGRESS = `
insert into :schema.sweep as sweep (account, sweep_from, watermark)
values ($1, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000))
on conflict (account) do update set
  sweep_from = coalesce(sweep.sweep_from, excluded.sweep_from),
  watermark = coalesce(sweep.watermark, excluded.watermark)
returning (extract(epoch from sweep_from) * 1000)::text as sweep_from,
  (extract(epoch from watermark) * 1000)::text as watermark,
  (extract(epoch from recovered_at) * 1000)::text as recovered_at`;

/** A row is made by the first process that ever asks. */
export const MS_SINCE_FIRST_START = `
insert into :schema.sweep as sweep (account) values ($1)
on conflict (account) do update set account = excluded.account
returning (extract(epoch from :schema.clock() - started_at) * 1000)::text as ms`;

/** The right to do something alone: for who has it, or for anyone once it ran out. */
const claim = (table: 'sweep' | 'token') => `
insert into :schema.${table} as kept (account, owner, claimed_until)
values ($1, $2, :schema.clock() + $3::float8 * interval '1 millisecond')
on conflict (account) do update set owner = excluded.owner, claimed_until = excluded.claimed_until
where kept.owner is null or kept.owner = excluded.owner or kept.claimed_until <= :schema.clock()
returning account`;

export const CLAIM_SWEEP = claim('sweep');

export const SAVE_SWEEP = `
update :schema.sweep
set watermark = to_timestamp($3::float8 / 1000), recovered_at = to_timestamp($4::float8 / 1000)
where account = $1 and owner = $2 and sweep_from is not null
returning account`;

export const CLAIM_TOKEN_RENEWAL = claim('token');

export const READ_TOKEN = `
select sealed, (extract(epoch from expires_at - :schema.clock()) * 1000)::text as expires_in_ms
from :schema.token where account = $1 and expires_at > :schema.clock()`;

export const SAVE_TOKEN = `
insert into :schema.token as kept (account, sealed, expires_at)
values ($1, $3::bytea, :schema.clock() + $4::float8 * interval '1 millisecond')
on conflict (account) do update set
  sealed = excluded.sealed, expires_at = excluded.expires_at,
  owner = nullif(kept.owner, $2), claimed_until = case when kept.owner = $2 then null else kept.claimed_until end`;

export const RELEASE_TOKEN_RENEWAL = `
update :schema.token set owner = null, claimed_until = null where account = $1 and owner = $2`;

export const CLEAR_TOKEN = `update :schema.token set sealed = null, expires_at = null where account = $1`;
