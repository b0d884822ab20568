-- The tills and API keys that each account in use has claimed.

create table :schema.account_claim (
  account text primary key,
  tills text[] not null,
  -- SHA-256 of each API key, in hex.
  key_hashes text[] not null,
  lists_tills boolean not null,
  claimed_until timestamptz not null
);

-- Claims tills and keys for accounts, or returns what contradicts. The lock makes one claim see the other when two accounts
-- start at the same moment.
create function :schema.claim_accounts(p_claims jsonb, p_for_ms float8)
returns jsonb language plpgsql volatile as $body$
declare
  p_now timestamptz;
  p_conflicts jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'accounts'), 0));
  p_now := :schema.clock();
  with given as (
    select * from jsonb_to_recordset(p_claims) as claim(
      account text, tills text[], "keyHashes" text[], "listsTills" boolean)
  ), other as (
    select account, tills, key_hashes, lists_tills, false as is_given from :schema.account_claim
    where claimed_until > p_now and account not in (select account from given)
    union all
    select account, tills, "keyHashes", "listsTills", true from given
  ), pair as (
    select given.account, given.tills, given."keyHashes" as key_hashes, given."listsTills" as lists_tills,
      other.account as other, other.tills as other_tills, other.key_hashes as other_hashes, other.lists_tills as other_lists
    from given join other on not other.is_given or other.account < given.account
  ), conflict as (
    select jsonb_build_object('kind', 'till', 'account', account, 'other', other, 'till', till) as detail
    from pair, unnest(tills) as till where till = any (other_tills)
    union all
    select jsonb_build_object('kind', 'key', 'account', account, 'other', other, 'silent', silent)
    from pair, unnest(array[account, other], array[lists_tills, other_lists]) as side(silent, lists)
    where key_hashes && other_hashes and not lists
  )
  select coalesce(jsonb_agg(detail), '[]') into p_conflicts from conflict;
  if p_conflicts = '[]' then
    insert into :schema.account_claim
    select account, tills, "keyHashes", "listsTills", p_now + p_for_ms * interval '1 millisecond'
    from jsonb_to_recordset(p_claims) as claim(
      account text, tills text[], "keyHashes" text[], "listsTills" boolean)
    on conflict (account) do update
    set tills = excluded.tills, key_hashes = excluded.key_hashes, lists_tills = excluded.lists_tills,
      claimed_until = excluded.claimed_until;
  end if;
  return p_conflicts;
end
$body$;
