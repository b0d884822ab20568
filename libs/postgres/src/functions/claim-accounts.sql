-- Claims tills and keys for accounts, or returns what contradicts. The lock makes one claim see the other when two accounts
-- start at the same moment.
create function :fn.claim_accounts(p_claims jsonb)
returns jsonb language plpgsql volatile as $body$
declare
  p_accounts constant text[] := array(select value->>'account' from jsonb_array_elements(p_claims));
  p_given jsonb;
  p_conflicts jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'accounts'), 0));
  select coalesce(jsonb_agg(each), '[]') into p_given from (
    select distinct claim.account, 'till' as kind, till as value, claim."listsTills" as lists_tills
    from jsonb_to_recordset(p_claims) as claim(account text, tills text[], "listsTills" boolean), unnest(tills) as till
    union all
    select distinct claim.account, 'key', hash, claim."listsTills"
    from jsonb_to_recordset(p_claims) as claim(account text, "keyHashes" text[], "listsTills" boolean), unnest("keyHashes") as hash
  ) as each;
  with given as materialized (
    select * from jsonb_to_recordset(p_given) as each(account text, kind text, value text, lists_tills boolean)
  ), pair as (
    select given.kind, given.value, given.account, given.lists_tills, other.account as other, other.lists_tills as other_lists
    from given join :schema.account_claim other on other.kind = given.kind and other.value = given.value
      and other.account <> given.account and (other.kind = 'till' or other.account <> all (p_accounts))
    union
    select given.kind, given.value, given.account, given.lists_tills, other.account, other.lists_tills
    from given join given other on other.kind = given.kind and other.value = given.value and other.account < given.account
  ), conflict as (
    select jsonb_build_object('kind', 'till', 'account', account, 'other', other, 'till', value) as detail
    from pair where kind = 'till'
    union all
    select jsonb_build_object('kind', 'key', 'account', account, 'other', other, 'silent', silent)
    from pair, unnest(array[account, other], array[lists_tills, other_lists]) as side(silent, lists)
    where kind = 'key' and not lists
  )
  select coalesce(jsonb_agg(detail), '[]') into p_conflicts from conflict;
  if p_conflicts = '[]' then
    delete from :schema.account_claim where kind = 'key' and account = any (p_accounts);
    -- Where the default isolation is stricter, the till may have become another account's, whose row is invisible here. Its index is the target,
    -- so that this raises error 40001 (serialization_failure), and the statement is repeated.
    insert into :schema.account_claim (account, kind, value, lists_tills)
    select account, kind, value, lists_tills
    from jsonb_to_recordset(p_given) as each(account text, kind text, value text, lists_tills boolean)
    where kind = 'till'
    on conflict (value) where kind = 'till' do nothing;
    insert into :schema.account_claim (account, kind, value, lists_tills)
    select account, kind, value, lists_tills
    from jsonb_to_recordset(p_given) as each(account text, kind text, value text, lists_tills boolean)
    where kind = 'key'
    on conflict (kind, value, account) do nothing;
  end if;
  return p_conflicts;
end
$body$;
