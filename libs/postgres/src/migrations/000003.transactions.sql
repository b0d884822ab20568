-- Transactions: money that the platform says moved. One row has everything under one reference, so that two processes
-- that change one sum of it conflict. The columns that searches need are copied from the first sum. A row with
-- several sums (one reference at two tills that nothing connects) is rare; a search reads all sums of such a row.
--
-- Texts of the platform may have any length, and a B-tree entry must fit into a third of a page. So indexes contain
-- hashes of these texts, never the texts.

create table :schema.transaction (
  account text not null,
  reference_hash bytea not null,
  reference text not null,
  -- What a later report changes stands together, before the long rest of the row. See transaction.row.ts.
  version integer not null default 1,
  marks jsonb not null,
  several boolean not null,
  untied boolean not null,
  redacted boolean not null default false,
  originated_at timestamptz,
  amount_hash bytea,
  payer_hash bytea,
  sums jsonb not null,
  created_at timestamptz not null,
  primary key (reference_hash, account)
) with (fillfactor = 50);

create index transaction_untied on :schema.transaction (amount_hash, payer_hash, coalesce(originated_at, created_at))
  where untied and not several;

create index transaction_several on :schema.transaction (created_at)
  where untied and several;

create index transaction_age on :schema.transaction (redacted, created_at);

create index transaction_origin on :schema.transaction (account, coalesce(originated_at, created_at), reference_hash);

-- Money that nobody has asked for.
create index transaction_unmatched on :schema.transaction (account, coalesce(originated_at, created_at), reference_hash) where untied;

-- Searches of operators by the beginning or the end of a receipt code, without upper and lower case.
create index transaction_beginning on :schema.transaction (lower(left(reference, 40)) text_pattern_ops);

create index transaction_end on :schema.transaction (reverse(lower(right(reference, 40))) text_pattern_ops);

-- A packed transaction (packed.transaction.ts) without personal data; null and other JSON values stay as they are. Retention uses
-- it.
create function :schema.without_person(p_transaction jsonb)
returns jsonb language sql immutable parallel safe as $body$
  select case jsonb_typeof(p_transaction)
    when 'object' then (p_transaction - 'same') || '{"senderFirstName": null, "senderMiddleName": null, "senderLastName": null,
      "senderPhoneNumber": null, "hashedSenderPhone": null, "cardNumber": null, "raw": {}}'::jsonb
    else p_transaction end
$body$;

-- Whether a text or the bytes of a body mention a person: by the digits of a phone number, or by their hash.
create function :schema.mentions(p_text text, p_digits text, p_hash text)
returns boolean language sql immutable parallel safe as $body$
  select strpos(p_text, p_digits) > 0 or strpos(lower(p_text), p_hash) > 0
$body$;

create function :schema.mentions(p_body bytea, p_digits text, p_hash text)
returns boolean language sql immutable parallel safe as $body$
  select position(convert_to(p_digits, 'UTF8') in p_body) > 0 or position(convert_to(p_hash, 'UTF8') in p_body) > 0
    or position(convert_to(upper(p_hash), 'UTF8') in p_body) > 0
$body$;

-- Whether a body has one of several ids: as a whole text, or as a segment of a path.
create function :schema.mentions_one_of(p_body bytea, p_ids text[])
returns boolean language sql immutable parallel safe as $body$
  select exists (
    select from unnest(p_ids) as id, unnest(array['"', '/']) as before, unnest(array['"', '/', '?']) as after
    where position(convert_to(before || id || after, 'UTF8') in p_body) > 0)
$body$;

-- Whether an operation mentions a person, anywhere.
create function :schema.mentions(p_operation :schema.operation, p_digits text, p_hash text)
returns boolean language sql stable parallel safe as $body$
  select p_operation.phone_hash = decode(p_hash, 'hex') or :schema.mentions(concat_ws(' ', p_operation.personal, p_operation.transaction,
    p_operation.errors, p_operation.cause_detail, p_operation.outcome, p_operation.request, p_operation.idempotency_key,
    p_operation.approved_by), p_digits, p_hash)
$body$;
