-- Every account that was ever in use. Names are compared by the codes of their characters, so that the names with one beginning are a
-- range of the index.

create table :schema.account (
  name text collate "C" primary key,
  started_at timestamptz not null default :schema.clock()
);

-- The tills and API keys that accounts in use have claimed, each until its own time.

create table :schema.account_claim (
  account text not null,
  kind text not null,
  -- A till number, or the SHA-256 of an API key in hex.
  value text not null,
  lists_tills boolean not null,
  claimed_until timestamptz not null,
  -- The account has given it up. Until then a process with older settings does not claim it again.
  given_up_until timestamptz,
  primary key (kind, value, account)
);

-- One row, which every claim changes: under a stricter isolation a claim that has waited fails then, because it cannot see what it has waited for.
create table :schema.claim_turn (turn bigint not null);
insert into :schema.claim_turn values (0);

-- The tills and keys in the claims of accounts, one row for each. Claims that are not new leave out what their account has given up.
create function :schema.claims_of(p_claims jsonb, p_are_new boolean, p_now timestamptz)
returns table (account text, kind text, value text, lists_tills boolean) language sql stable as $body$
  select given.* from (
    select distinct claim.account, 'till' as kind, till as value, claim."listsTills"
    from jsonb_to_recordset(p_claims) as claim(account text, tills text[], "listsTills" boolean), unnest(tills) as till
    union all
    select distinct claim.account, 'key', hash, claim."listsTills"
    from jsonb_to_recordset(p_claims) as claim(account text, "keyHashes" text[], "listsTills" boolean), unnest("keyHashes") as hash
  ) given
  where p_are_new or not exists (
    select from :schema.account_claim old
    where old.kind = given.kind and old.value = given.value and old.account = given.account and old.given_up_until > p_now)
$body$;

-- Claims tills and keys for accounts, or returns what contradicts. The lock makes one claim see the other when two accounts
-- start at the same moment. p_are_new: these are the present settings of the accounts, which give up everything else.
create function :schema.claim_accounts(p_claims jsonb, p_for_ms float8, p_are_new boolean)
returns jsonb language plpgsql volatile as $body$
declare
  p_now timestamptz;
  p_until timestamptz;
  p_accounts constant text[] := array(select value->>'account' from jsonb_array_elements(p_claims));
  p_conflicts jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'accounts'), 0));
  update :schema.claim_turn set turn = turn + 1;
  p_now := :schema.clock();
  p_until := p_now + p_for_ms * interval '1 millisecond';
  with given as materialized (
    select * from :schema.claims_of(p_claims, p_are_new, p_now)
  ), other as (
    select account, kind, value, lists_tills, false as is_given from :schema.account_claim
    where claimed_until > p_now and account <> all (p_accounts) and (given_up_until > p_now) is not true
    union all
    select account, kind, value, lists_tills, true from given
  ), pair as (
    select given.kind, given.value, given.account, given.lists_tills, other.account as other, other.lists_tills as other_lists
    from given
    join other on other.kind = given.kind and other.value = given.value
      and (not other.is_given or other.account < given.account)
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
    -- Also a till that moves from one of these accounts to another.
    delete from :schema.account_claim old
    where greatest(old.claimed_until, old.given_up_until) <= p_now
      or old.kind = 'till' and old.account = any (p_accounts) and not p_are_new and exists (
        select from :schema.claims_of(p_claims, p_are_new, p_now) given
        where given.kind = 'till' and given.value = old.value and given.account <> old.account);
    update :schema.account_claim old set given_up_until = p_until
    where p_are_new and old.account = any (p_accounts) and not exists (
      select from :schema.claims_of(p_claims, p_are_new, p_now) given
      where given.kind = old.kind and given.value = old.value and given.account = old.account);
    insert into :schema.account_claim
    select account, kind, value, lists_tills, p_until
    from :schema.claims_of(p_claims, p_are_new, p_now)
    on conflict (kind, value, account) do update
    set lists_tills = excluded.lists_tills, claimed_until = excluded.claimed_until, given_up_until = null;
  end if;
  return p_conflicts;
end
$body$;
