import { randomUUID } from 'node:crypto';
import type { Destination } from '../payouts/destination.model.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { ItemStore } from '../values/item.store.js';

export type MerchantAccountType = 'merchant_wallet' | 'merchant_bank_account';

/** A wallet or bank account of the merchant, to which the platform settles. */
export interface MerchantAccount {
  readonly id: string;
  /** A transfer names the account by this reference. */
  readonly reference: string;
  readonly type: MerchantAccountType;
  readonly fields: Readonly<WireObject>;
}

/** All money goes to this bank account when a request names no account. */
const SETTLEMENT_ACCOUNT: WireObject = {
  account_name: 'Settlement account',
  account_number: '0100000000',
  bank_branch_ref: '00000000-0000-4000-8000-000000000001',
  settlement_method: 'EFT',
};

/** The own accounts of the merchant. One exists from the start: the linked settlement account. */
export class MerchantAccounts extends ItemStore<MerchantAccount> {
  private readonly byReference = new Map<string, MerchantAccount>();

  constructor() {
    super();
    this.create('merchant_bank_account', SETTLEMENT_ACCOUNT);
  }

  /** A sweep sends all funds to this account, which is the first one. */
  get settlement(): MerchantAccount {
    return this.all()[0]!;
  }

  create(type: MerchantAccountType, fields: WireObject): MerchantAccount {
    const account = this.add({ reference: randomUUID(), type, fields });
    this.byReference.set(account.reference, account);
    return account;
  }

  findByReference(type: unknown, reference: string): MerchantAccount | undefined {
    const account = this.byReference.get(reference);
    return account?.type === type ? account : undefined;
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
