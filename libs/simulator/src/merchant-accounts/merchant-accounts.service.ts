import { randomUUID } from 'node:crypto';
import type { Destination } from '../payouts/destination.model.js';
import type { WireObject } from '../transactions/transaction.resource.js';

export type MerchantAccountType = 'merchant_wallet' | 'merchant_bank_account';

/** A wallet or bank account of the merchant, to which the platform settles. */
export interface MerchantAccount {
  readonly id: string;
  /** What names the account in a transfer. */
  readonly reference: string;
  readonly type: MerchantAccountType;
  readonly fields: Readonly<WireObject>;
}

/** The bank account to which everything goes when a request names no account. */
const SETTLEMENT_ACCOUNT: WireObject = {
  account_name: 'Settlement account',
  account_number: '0100000000',
  bank_branch_ref: '00000000-0000-4000-8000-000000000001',
  settlement_method: 'EFT',
};

/** The own accounts of the merchant. One exists from the start: the linked settlement account. */
export class MerchantAccounts {
  private readonly byId = new Map<string, MerchantAccount>();
  private readonly byReference = new Map<string, MerchantAccount>();

  constructor() {
    this.add('merchant_bank_account', SETTLEMENT_ACCOUNT);
  }

  /** Where a sweep sends all funds: the first account. */
  get settlement(): MerchantAccount {
    return this.byId.values().next().value!;
  }

  add(type: MerchantAccountType, fields: WireObject): MerchantAccount {
    const account = { id: randomUUID(), reference: randomUUID(), type, fields };
    this.byId.set(account.id, account);
    this.byReference.set(account.reference, account);
    return account;
  }

  find(type: MerchantAccountType, id: string): MerchantAccount | undefined {
    const account = this.byId.get(id);
    return account?.type === type ? account : undefined;
  }

  findByReference(type: unknown, reference: string): MerchantAccount | undefined {
    const account = this.byReference.get(reference);
    return account?.type === type ? account : undefined;
  }

  list(): MerchantAccount[] {
    return [...this.byId.values()];
  }

  destinationOf({ type, reference, fields }: MerchantAccount): Destination {
    const phone = type === 'merchant_wallet' ? String(fields.phone_number) : null;
    return {
      type,
      number: phone ?? String(fields.account_number),
      account: `${type}:${reference}`,
      reference,
      phone,
      details: fields,
      fields: {},
    };
  }
}
