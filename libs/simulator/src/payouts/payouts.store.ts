import { randomUUID } from 'node:crypto';
import { majorUnits, OWN_CURRENCY } from '../values/amount.js';
import type { Disbursement, Payout, PayoutOrder, PayoutRequest } from './payout.model.js';
import type { PayoutScenarios } from './payout-scenarios.service.js';

/** Every request that sends money out. */
export class PayoutsStore {
  private readonly byId = new Map<string, PayoutRequest>();

  constructor(private readonly scenarios: PayoutScenarios) {}

  add(order: PayoutOrder, now: number): PayoutRequest {
    const payout: PayoutRequest = {
      id: randomUUID(),
      order,
      createdAt: now,
      disbursements: order.asked.map(({ destination, amount }) => ({
        destination,
        scenario: this.scenarios.nameFor(destination.number),
        amount,
        status: 'Pending',
        errors: null,
        originatedAt: now,
        isReserved: false,
        isPaid: false,
        reference: null,
        received: null,
      })),
      batches: null,
      status: 'Received',
    };
    this.byId.set(payout.id, payout);
    return payout;
  }

  find(id: string): PayoutRequest | undefined {
    return this.byId.get(id);
  }

  /** Those of which a part is not finished. */
  open(): PayoutRequest[] {
    return [...this.byId.values()].filter(({ disbursements }) =>
      disbursements.some(({ status }) => status === 'Pending' || status === 'Processing'),
    );
  }

  list(): Payout[] {
    return Array.from(this.byId.values(), payoutOf);
  }
}

function payoutOf({ id, order, status, disbursements, createdAt }: PayoutRequest): Payout {
  return {
    payoutId: id,
    resource: order.resource,
    callbackUrl: order.callbackUrl,
    tillNumber: order.tillNumber,
    currency: OWN_CURRENCY,
    metadata: order.metadata,
    sweep: order.asked.some(({ amount }) => amount === null),
    status,
    destinations: disbursements.map(destinationOf),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function destinationOf({ destination, amount, ...rest }: Disbursement) {
  return {
    type: destination.type,
    number: destination.number,
    destinationReference: destination.reference,
    amount: amount === null ? null : majorUnits(amount, OWN_CURRENCY),
    scenario: rest.scenario,
    status: rest.status,
    errors: rest.errors,
    paid: rest.isPaid,
    reference: rest.reference,
  };
}
