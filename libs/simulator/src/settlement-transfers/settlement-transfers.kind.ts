import type { MerchantAccounts } from '../merchant-accounts/merchant-accounts.service.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import type { Destination } from '../payouts/destination.model.js';
import { legacyBatches } from '../payouts/payout.resource.js';
import type { PayoutKind } from '../payouts/payouts.controller.js';
import { optional, required, text } from '../server/body.dto.js';
import { links, oneOf, ownAmount, ownCurrency } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import { minorUnits, OWN_CURRENCY } from '../values/amount.js';
import { timestamp } from '../values/timestamp.js';

interface CreateSettlementTransferBody {
  /** When it is absent, the request asks for all funds of the till. */
  amount?: { currency: string; value: number } | null;
  destination_reference?: string | null;
  destination_type?: string | null;
  _links: { callback_url: string };
}

/** Makes the kind `settlement_transfers`, the older way to settle to an own account. The first till pays. */
export function settlementTransfersKind(
  { settings, merchant }: MerchantContext,
  accounts: MerchantAccounts,
): PayoutKind<CreateSettlementTransferBody> {
  return {
    resource: 'settlement_transfers',
    format: {
      path: '/api/v1/settlement_transfers',
      type: 'settlement_transfer',
      attributes: (payout, changes) => ({
        status: changes.status ?? payout.status,
        created_at: timestamp(payout.createdAt),
        amount: payout.order.request.amount ?? { currency: OWN_CURRENCY, value: null },
        transfer_batches: legacyBatches(payout, changes),
      }),
    },
    schema: {
      amount: {
        required: false,
        fields: { currency: required(ownCurrency), value: required(ownAmount(settings.strict)) },
      },
      destination_reference: optional(text),
      destination_type: optional(oneOf('merchant_wallet', 'merchant_bank_account')),
      _links: links(settings.allowPlainCallbackHosts),
    },
    check(body) {
      merchant.tills.payer();
      return destinationOf(accounts, body).phone ?? undefined;
    },
    read(body) {
      const { amount } = body;
      const minor = amount ? minorUnits(Number(amount.value), OWN_CURRENCY) : null;
      return {
        ...merchant.tills.payer(),
        callbackUrl: body._links.callback_url,
        metadata: {},
        asked: [{ destination: destinationOf(accounts, body), amount: minor }],
      };
    },
  };
}

function destinationOf(
  accounts: MerchantAccounts,
  { destination_reference: reference, destination_type: type }: CreateSettlementTransferBody,
): Destination {
  const account = reference ? accounts.findByReference(type, reference) : accounts.settlement;
  if (account) return accounts.destinationOf(account);
  const wanted = type ?? 'destination_type';
  throw new Refusal(422, `destination_reference ${reference} is not that of a ${wanted}`);
}
