import type {
  MerchantAccount,
  MerchantAccounts,
} from '../merchant-accounts/merchant-accounts.service.js';
import { legacyBatches } from '../payouts/legacy-batches.resource.js';
import type { PayoutFormat, PayoutOrder } from '../payouts/payout.model.js';
import type { PayoutKind } from '../payouts/payout.routes.js';
import { sourceOf } from '../payouts/payout.source.js';
import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { links, oneOf, ownAmount, ownCurrency } from '../server/field.rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { minorUnits, OWN_CURRENCY } from '../values/amount.js';
import { timestamp } from '../values/timestamp.js';

/** The body of a create. */
interface CreateSettlementTransferBody {
  /** Absent: all funds of the till. */
  amount?: { currency: string; value: number } | null;
  destination_reference?: string | null;
  destination_type?: string | null;
  _links: { callback_url: string };
}

const FORMAT: PayoutFormat = {
  resource: 'settlement_transfers',
  path: '/api/v1/settlement_transfers',
  type: 'settlement_transfer',
  attributes(payout, changes) {
    const { status, createdAt, order } = payout;
    return {
      status: changes.status ?? status,
      created_at: timestamp(createdAt),
      amount: order.request.amount ?? { currency: OWN_CURRENCY, value: null },
      transfer_batches: legacyBatches(payout, changes) ?? [],
    };
  },
};

/** Reads the requests of `settlement_transfers`, the older way to settle to an own account. The first till pays. */
export class SettlementTransfers implements PayoutKind<CreateSettlementTransferBody> {
  readonly format = FORMAT;
  readonly schema: BodySchema;

  constructor(
    settings: SimulatorSettings,
    private readonly tills: Tills,
    private readonly accounts: MerchantAccounts,
  ) {
    this.schema = {
      amount: {
        required: false,
        fields: { currency: required(ownCurrency), value: required(ownAmount(settings.strict)) },
      },
      destination_reference: optional(text),
      destination_type: optional(oneOf('merchant_wallet', 'merchant_bank_account')),
      _links: links(settings.allowPlainCallbackHosts),
    };
  }

  check(body: CreateSettlementTransferBody): string | undefined {
    sourceOf(this.tills, null);
    return this.accounts.destinationOf(this.accountOf(body)).phone ?? undefined;
  }

  read(body: CreateSettlementTransferBody): Omit<PayoutOrder, 'resource' | 'request'> {
    return {
      ...sourceOf(this.tills, null),
      callbackUrl: body._links.callback_url,
      metadata: {},
      asked: [
        {
          destination: this.accounts.destinationOf(this.accountOf(body)),
          amount: body.amount ? minorUnits(Number(body.amount.value), OWN_CURRENCY) : null,
        },
      ],
    };
  }

  private accountOf(body: CreateSettlementTransferBody): MerchantAccount {
    const { destination_reference: reference, destination_type: type } = body;
    if (!reference) return this.accounts.settlement;
    const account = this.accounts.findByReference(type, reference);
    if (!account)
      throw new Refusal(
        422,
        `destination_reference ${reference} is not that of a ${type ?? 'destination_type'}`,
      );
    return account;
  }
}
