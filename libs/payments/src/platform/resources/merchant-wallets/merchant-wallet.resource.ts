import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { wireText, wireTextOf } from '../../wire-value.js';

export const MERCHANT_WALLET_TYPE = 'merchant_wallet';

/**
 * A mobile money account of the merchant as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#merchant-wallets
 * @publicApi
 */
export interface MerchantWallet {
  id: string;
  /** `Approved`, or another status. */
  status: string | null;
  /** What a destination names as `reference`. `Unavailable`: only the platform's own dashboard shows it. */
  accountReference: string | null;
  firstName: string | null;
  lastName: string | null;
  phoneNumber: string | null;
  network: string | null;
  nickname: string | null;
  /** The resource as the platform sent it. */
  raw: Record<string, unknown>;
}

export function readMerchantWallet({ id, attributes, raw }: ResourceEnvelope): MerchantWallet {
  return {
    id,
    status: wireText(attributes['status']),
    accountReference: wireText(attributes['account_reference']),
    firstName: wireText(attributes['first_name']),
    lastName: wireText(attributes['last_name']),
    phoneNumber: wireTextOf(attributes, 'phone_number', 'msisdn'),
    network: wireText(attributes['network']),
    nickname: wireText(attributes['nickname']),
    raw,
  };
}
