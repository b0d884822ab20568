import type { ExternalRecipients } from '../external-recipients/external-recipients.service.js';
import { RECIPIENT_TYPES } from '../external-recipients/recipient-fields.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import { legacyBatches } from '../payouts/payout.resource.js';
import type { PayoutKind } from '../payouts/payouts.controller.js';
import { object, optional, required, text } from '../server/body.dto.js';
import { links, metadata, oneOf, ownAmount, ownCurrency } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import { minorUnits, OWN_CURRENCY } from '../values/amount.js';
import { timestamp } from '../values/timestamp.js';

interface CreatePayBody {
  destination_type: string;
  destination_reference: string;
  amount: { currency: string; value: number };
  metadata?: Record<string, unknown> | null;
  _links: { callback_url: string };
}

/** Makes the kind `payments`, the older way to pay a recipient. The first till pays. */
export function payKind(
  { settings, merchant }: MerchantContext,
  recipients: ExternalRecipients,
): PayoutKind<CreatePayBody> {
  return {
    resource: 'payments',
    format: {
      path: '/api/v1/payments',
      type: 'payment',
      attributes: (payout, changes) => ({
        status: changes.status ?? payout.status,
        created_at: timestamp(payout.createdAt),
        amount: payout.order.request.amount,
        transfer_batches: legacyBatches(payout, changes),
        metadata: payout.order.request.metadata ?? {},
      }),
    },
    schema: {
      destination_type: required(oneOf(...RECIPIENT_TYPES)),
      destination_reference: required(text),
      amount: object({
        currency: required(ownCurrency),
        value: required(ownAmount(settings.strict)),
      }),
      description: required(text),
      category: optional(text),
      tags: optional(textOrTexts),
      metadata: optional(metadata),
      _links: links(settings.allowPlainCallbackHosts),
    },
    check({ destination_type: type, destination_reference: reference }) {
      merchant.tills.payer();
      const recipient = recipients.findByReference(reference);
      if (recipient?.type !== type)
        throw new Refusal(422, `destination_reference ${reference} is not that of a ${type}`);
      return recipients.destinationOf(recipient).phone ?? undefined;
    },
    read(body) {
      const recipient = recipients.findByReference(body.destination_reference)!;
      const destination = recipients.destinationOf(recipient);
      const amount = minorUnits(Number(body.amount.value), OWN_CURRENCY);
      return {
        ...merchant.tills.payer(),
        callbackUrl: body._links.callback_url,
        metadata: body.metadata ?? {},
        asked: [{ destination, amount }],
      };
    },
  };
}

function textOrTexts(value: unknown): string | null {
  const isValid = [value].flat().every((each) => typeof each === 'string');
  return isValid ? null : 'must be a string or a list of strings';
}
