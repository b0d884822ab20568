-- Writes the transactions of changes. The caller holds their rows, and for each new one its advisory lock.
create function :fn.write_transactions(p_changes jsonb, p_moment timestamptz)
returns void language plpgsql volatile as $body$
begin
  with given as materialized (
    select change->>'account' as account, given.*
    from jsonb_array_elements(p_changes) as changes(change)
    cross join lateral jsonb_to_record(change->'transaction') as given(
      reference text, "referenceHash" text, version integer, redacted boolean, sums jsonb, marks jsonb, several boolean, untied boolean,
      "originatedAt" float8, "amountHash" text, "payerHash" text)
    where jsonb_typeof(change->'transaction') = 'object'
  ), inserted as (
    -- 'on conflict': in a repeatable read transaction the row of another one may be there, but invisible. Then this raises error 40001
    -- (serialization_failure), and the statement is repeated.
    insert into :schema.transaction (
      account, reference_hash, reference, redacted, sums, marks, several, untied, originated_at, amount_hash, payer_hash, created_at)
    select account, decode("referenceHash", 'hex'), reference, redacted, sums, marks, several, untied,
      to_timestamp("originatedAt" / 1000), decode("amountHash", 'hex'), decode("payerHash", 'hex'), p_moment
    from given where version is null order by "referenceHash"
    on conflict (reference_hash, account) do nothing
  )
  update :schema.transaction set
    version = transaction.version + 1,
    sums = given.sums,
    marks = given.marks,
    several = given.several,
    untied = given.untied,
    originated_at = to_timestamp("originatedAt" / 1000),
    amount_hash = decode("amountHash", 'hex'),
    payer_hash = decode("payerHash", 'hex'),
    redacted = given.redacted
  from given
  where given.version is not null
    and transaction.reference_hash = decode("referenceHash", 'hex') and transaction.account || '' = given.account;
end
$body$;
