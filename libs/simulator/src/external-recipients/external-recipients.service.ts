import { randomUUID } from 'node:crypto';
import { tillAccount, type AccountName } from '../balances/account-name.js';
import type { Destination } from '../payouts/destination.model.js';
import type { Till } from '../tills/tills.service.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { ItemStore } from '../values/item.store.js';
import { identityOf, type RecipientType } from './recipient-fields.js';

/** A recipient whom the merchant pays. */
export interface ExternalRecipient {
  readonly id: string;
  /** A payment names the recipient by this reference. */
  readonly reference: string;
  readonly type: RecipientType;
  /** The fields of the create request, or of the destination that added the recipient. */
  readonly fields: Readonly<WireObject>;
}

/** The recipients of one merchant. A destination that is not yet known becomes one. */
export class ExternalRecipients extends ItemStore<ExternalRecipient> {
  private readonly byIdentity = new Map<string, ExternalRecipient>();
  private readonly byReference = new Map<string, ExternalRecipient>();

  /** @param tillAt finds a till of any merchant */
  constructor(private readonly tillAt: (number: string) => Till | undefined) {
    super();
  }

  create(type: RecipientType, fields: WireObject): ExternalRecipient {
    const recipient = this.add({ reference: randomUUID(), type, fields });
    this.byReference.set(recipient.reference, recipient);
    const identity = `${type} ${identityOf(type, fields)}`;
    // A host may create the same recipient again. Destinations keep the reference of the first one.
    if (!this.byIdentity.has(identity)) this.byIdentity.set(identity, recipient);
    return recipient;
  }

  findByReference(reference: string): ExternalRecipient | undefined {
    return this.byReference.get(reference);
  }

  /** Returns the known recipient with the same identity, or a new one. */
  findOrCreate(type: RecipientType, fields: WireObject): ExternalRecipient {
    return this.byIdentity.get(`${type} ${identityOf(type, fields)}`) ?? this.create(type, fields);
  }

  destinationOf({ type, fields, reference }: ExternalRecipient): Destination {
    const identity = identityOf(type, fields);
    return {
      type,
      number: numberOf(type, identity),
      account: this.accountOf(type, identity),
      reference,
      phone: type === 'mobile_wallet' ? identity : null,
      details: fields,
      fields: {},
    };
  }

  private accountOf(type: RecipientType, identity: string): AccountName {
    if (type !== 'till') return `${type}:${identity}`;
    const till = this.tillAt(identity);
    return till ? tillAccount(till.reported) : `external_till:${identity}`;
  }
}

function numberOf(type: RecipientType, identity: string): string {
  return type === 'bank_account' || type === 'paybill'
    ? identity.slice(identity.lastIndexOf('/') + 1)
    : identity;
}
