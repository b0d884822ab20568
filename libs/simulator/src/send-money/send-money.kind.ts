import type { ExternalRecipients } from '../external-recipients/external-recipients.service.js';
import { isRecipientType } from '../external-recipients/recipient-fields.js';
import type { MerchantAccounts } from '../merchant-accounts/merchant-accounts.service.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import type { Destination } from '../payouts/destination.model.js';
import type { PayoutKind } from '../payouts/payouts.controller.js';
import { withPlus } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { minorUnits, OWN_CURRENCY } from '../values/amount.js';
import {
  sendMoneySchema,
  type CreateSendMoneyBody,
  type SendMoneyDestination,
} from './create-send-money.dto.js';
import { SEND_MONEY } from './send-money.resource.js';

/** Makes the kind `send_money`, which pays recipients and own accounts. */
export function sendMoneyKind(
  { settings, merchant }: MerchantContext,
  recipients: ExternalRecipients,
  accounts: MerchantAccounts,
): PayoutKind<CreateSendMoneyBody> {
  const destinationOf = (given: SendMoneyDestination): Destination => {
    const { type, amount: _, description: _description, ...fields } = given;
    const destination = isRecipientType(type)
      ? recipients.destinationOf(recipients.findOrCreate(type, recipientOf(fields)))
      : accounts.destinationOf(accounts.findByReference(type, fields.reference!)!);
    return { ...destination, fields };
  };
  return {
    resource: 'send_money',
    format: SEND_MONEY,
    schema: sendMoneySchema(settings.allowPlainCallbackHosts, settings.strict),
    check({ source_identifier: source, destinations }) {
      merchant.tills.payer(source);
      for (const [index, { type, reference }] of (destinations ?? []).entries()) {
        if (isRecipientType(type) || accounts.findByReference(type, reference!)) continue;
        const field = `destinations[${index}].reference`;
        throw new Refusal(422, `${field} ${reference} is not that of a ${type}`);
      }
      const wallet = destinations?.find(({ type }) => type === 'mobile_wallet');
      return wallet && String(withPlus(wallet.phone_number));
    },
    read({ source_identifier: source, destinations, metadata, _links: urls }) {
      const sweep = { destination: accounts.destinationOf(accounts.settlement), amount: null };
      return {
        ...merchant.tills.payer(source),
        callbackUrl: urls.callback_url,
        metadata: metadata ?? {},
        asked: destinations?.length
          ? destinations.map((each) => ({
              destination: destinationOf(each),
              amount: minorUnits(Number(each.amount), OWN_CURRENCY),
            }))
          : [sweep],
      };
    },
  };
}

/** Returns the fields of the recipient that a destination adds. Recipients have phone numbers with +. */
function recipientOf({ favourite: _, ...fields }: WireObject): WireObject {
  return {
    ...fields,
    ...(fields.phone_number === undefined ? {} : { phone_number: withPlus(fields.phone_number) }),
  };
}
