-- A packed transaction (packed-transaction.ts) without personal data; null and other JSON values stay as they are. Retention uses
-- it.
create function :fn.without_person(p_transaction jsonb)
returns jsonb language sql immutable parallel safe as $body$
  select case jsonb_typeof(p_transaction)
    when 'object' then (p_transaction - 'same') || '{"senderFirstName": null, "senderMiddleName": null, "senderLastName": null,
      "senderPhoneNumber": null, "hashedSenderPhone": null, "cardNumber": null, "raw": {}}'::jsonb
    else p_transaction end
$body$;
