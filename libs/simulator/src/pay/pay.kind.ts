import type { ExternalRecipients } from '../external-recipients/external-recipients.service.js';
import { RECIPIENT_TYPES } from '../external-recipients/recipient.fields.js';
import { legacyBatches } from '../payouts/legacy-batches.resource.js';
import type { PayoutFormat, PayoutOrder } from '../payouts/payout.model.js';
import type { PayoutKind } from '../payouts/payout.routes.js';
import { sourceOf } from '../payouts/payout.source.js';
import { object, optional, required, text, type BodySchema } from '../server/body.dto.js';
import { links, metadata, oneOf, ownAmount, ownCurrency } from '../server/field.rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { minorUnits, OWN_CURRENCY } from '../values/amount.js';
import { timestamp } from '../values/timestamp.js';

/** The body of a create. */
interface CreatePayBody {
  destination_type: string;
  destination_reference: string;
  amount: { currency: string; value: number };
  metadata?: Record<string, unknown> | null;
  _links: { callback_url: string };
}

const FORMAT: PayoutFormat = {
  resource: 'payments',
  path: '/api/v1/payments',
  type: 'payment',
  attributes(payout, changes) {
    const { status, createdAt, order } = payout;
    return {
      status: changes.status ?? status,
      created_at: timestamp(createdAt),
      amount: order.request.amount,
      transfer_batches: legacyBatches(payout, changes) ?? [],
      metadata: order.request.metadata ?? {},
    };
  },
};

/** Reads the requests of `payments`, the older way to pay a recipient. The first till pays. */
export class Pay implements PayoutKind<CreatePayBody> {
  readonly format = FORMAT;
  readonly schema: BodySchema;

  constructor(
    settings: SimulatorSettings,
    private readonly tills: Tills,
    private readonly recipients: ExternalRecipients,
  ) {
    this.schema = {
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
    };
  }

  check(body: CreatePayBody): string | undefined {
    sourceOf(this.tills, null);
    const { destination_type: type, destination_reference: reference } = body;
    const recipient = this.recipients.findByReference(reference);
    if (recipient?.type !== type)
      throw new Refusal(422, `destination_reference ${reference} is not that of a ${type}`);
    return this.recipients.destinationOf(recipient).phone ?? undefined;
  }

  read(body: CreatePayBody): Omit<PayoutOrder, 'resource' | 'request'> {
    const recipient = this.recipients.findByReference(body.destination_reference)!;
    return {
      ...sourceOf(this.tills, null),
      callbackUrl: body._links.callback_url,
      metadata: body.metadata ?? {},
      asked: [
        {
          destination: this.recipients.destinationOf(recipient),
          amount: minorUnits(Number(body.amount.value), OWN_CURRENCY),
        },
      ],
    };
  }
}

function textOrTexts(value: unknown): string | null {
  const isValid = [value].flat().every((each) => typeof each === 'string');
  return isValid ? null : 'must be a string or a list of strings';
}
