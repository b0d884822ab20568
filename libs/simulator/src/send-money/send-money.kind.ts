import type { ExternalRecipients } from '../external-recipients/external-recipients.service.js';
import { isRecipientType } from '../external-recipients/recipient.fields.js';
import type { MerchantAccounts } from '../merchant-accounts/merchant-accounts.service.js';
import type { Destination } from '../payouts/destination.model.js';
import type { PayoutOrder } from '../payouts/payout.model.js';
import type { PayoutKind } from '../payouts/payout.routes.js';
import { sourceOf } from '../payouts/payout.source.js';
import { withPlus } from '../server/field.rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { minorUnits, OWN_CURRENCY } from '../values/amount.js';
import {
  sendMoneySchema,
  type CreateSendMoneyBody,
  type SendMoneyDestination,
} from './create-send-money.dto.js';
import { SEND_MONEY } from './send-money.resource.js';

/** Reads the requests of `send_money`. */
export class SendMoney implements PayoutKind<CreateSendMoneyBody> {
  readonly format = SEND_MONEY;
  readonly schema;

  constructor(
    settings: SimulatorSettings,
    private readonly tills: Tills,
    private readonly recipients: ExternalRecipients,
    private readonly accounts: MerchantAccounts,
  ) {
    this.schema = sendMoneySchema(settings.allowPlainCallbackHosts, settings.strict);
  }

  check({ source_identifier: source, destinations }: CreateSendMoneyBody): string | undefined {
    sourceOf(this.tills, source);
    for (const [index, { type, reference }] of (destinations ?? []).entries()) {
      if (!isRecipientType(type) && !this.accounts.findByReference(type, reference!)) {
        throw new Refusal(
          422,
          `destinations[${index}].reference ${reference} is not that of a ${type}`,
        );
      }
    }
    const wallet = destinations?.find(({ type }) => type === 'mobile_wallet');
    return wallet && String(withPlus(wallet.phone_number));
  }

  read(body: CreateSendMoneyBody): Omit<PayoutOrder, 'resource' | 'request'> {
    const { destinations, metadata, _links: links } = body;
    const sweep = { destination: this.accounts.destinationOf(this.accounts.settlement) };
    return {
      ...sourceOf(this.tills, body.source_identifier),
      callbackUrl: links.callback_url,
      metadata: metadata ?? {},
      asked: destinations?.length
        ? destinations.map((each) => ({
            destination: this.destinationOf(each),
            amount: minorUnits(Number(each.amount), OWN_CURRENCY),
          }))
        : [{ ...sweep, amount: null }],
    };
  }

  private destinationOf({
    type,
    amount: _,
    description: _description,
    ...fields
  }: SendMoneyDestination): Destination {
    const known = isRecipientType(type)
      ? this.recipients.destinationOf(this.recipients.findOrAdd(type, recipientOf(fields)))
      : this.accounts.destinationOf(this.accounts.findByReference(type, fields.reference!)!);
    return { ...known, fields };
  }
}

/** The fields of the recipient that a destination makes known. Recipients have phone numbers with +. */
function recipientOf({ favourite: _, ...fields }: WireObject): WireObject {
  return {
    ...fields,
    ...(fields.phone_number === undefined ? {} : { phone_number: withPlus(fields.phone_number) }),
  };
}
