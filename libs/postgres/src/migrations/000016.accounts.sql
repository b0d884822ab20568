-- The tills and API keys that each account in use has claimed.

create table :schema.account_claim (
  account text primary key,
  tills text[] not null,
  -- SHA-256 of each API key, in hex.
  key_hashes text[] not null,
  lists_tills boolean not null,
  claimed_until timestamptz not null
);

-- Claims tills and keys for an account, or returns the claims of other accounts that contradict. The lock makes one claim
-- see the other when two accounts start at the same moment.
create function :schema.claim_account(
  p_account text, p_tills text[], p_key_hashes text[], p_lists_tills boolean, p_for_ms float8)
returns jsonb language plpgsql volatile as $body$
declare
  p_now timestamptz;
  p_conflicts jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'accounts'), 0));
  p_now := :schema.clock();
  select coalesce(jsonb_agg(conflict), '[]') into p_conflicts
  from (
    select jsonb_build_object('kind', 'till', 'account', account, 'till', till) as conflict
    from :schema.account_claim, unnest(tills) as till
    where account <> p_account and claimed_until > p_now and till = any (p_tills)
    union all
    select jsonb_build_object('kind', 'key', 'account', account, 'listsTills', lists_tills)
    from :schema.account_claim
    where account <> p_account and claimed_until > p_now and key_hashes && p_key_hashes
      and not (lists_tills and p_lists_tills)
  ) found;
  if p_conflicts = '[]' then
    insert into :schema.account_claim values (
      p_account, p_tills, p_key_hashes, p_lists_tills, p_now + p_for_ms * interval '1 millisecond')
    on conflict (account) do update
    set tills = excluded.tills, key_hashes = excluded.key_hashes, lists_tills = excluded.lists_tills,
      claimed_until = excluded.claimed_until;
  end if;
  return p_conflicts;
end
$body$;
