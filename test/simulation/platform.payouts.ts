import type { AnyCreate, Creation } from './platform.exchange.js';
import { ACCOUNT_FIELDS, identityOf } from './payout.places.js';
import {
  changesItsMindIn,
  FAILURES,
  isMinutesAgo,
  PlatformResources,
} from './platform.resources.js';
import {
  centsOf,
  type PlatformPayout,
  type PlatformTransfer,
  type WireDestination,
} from './platform.truth.js';
import type { Chance } from './seeded.chance.js';

interface CreateBody extends AnyCreate {
  source_identifier?: string;
  currency: string;
  destinations?: WireDestination[] | null;
}

const UNFINISHED = ['Pending', 'Scheduled', 'Processing', 'Processed'] as const;
const ODD = ['Settling', 'In Transit', 'transferred?'] as const;

/** Requests to send money: one batch for each destination, which finish one by one, in any order. */
export class PlatformPayouts extends PlatformResources<PlatformPayout> {
  protected readonly type = 'send_money';
  protected readonly path = '/api/v2/send_money';

  create(body: CreateBody, name: string, chance: Chance): Creation {
    const { simulation } = this;
    const destinations = body.destinations ?? [];
    if (destinations.length === 0) {
      // The platform's rule: without destinations it sends everything to the merchant's own accounts.
      this.platform.funds.move(-this.platform.funds.balance);
      simulation.violate('all funds sent', `${body.metadata.order} was sent without destinations`);
    }
    const payout: PlatformPayout = {
      ...this.begin(body, name, chance),
      status: 'Scheduled',
      errors: null,
      transfers: shuffled(destinations, chance).map((destination) => ({
        destination,
        identity: identityOf(destination),
        cents: centsOf(destination.amount),
        status: null,
        errors: null,
        moved: false,
        reference: null,
        cancelledAt: null,
        deniedInRead: false,
        shownAs: {},
        hidden: this.hidden(chance),
      })),
    };
    this.all.set(payout.id, payout);
    this.show(payout, `${name} scheduled`, { calls: chance.happens(0.3) });
    this.forge(payout, name, { transfer_batches: payout.transfers.map(forged) });
    simulation.scheduler.after(chance.duration(1, 5_000), null, `${payout.id} is handled`, () => {
      payout.status = 'Processed';
      if (chance.happens(0.5))
        for (const transfer of payout.transfers) transfer.status ??= chance.pick(UNFINISHED);
      this.show(payout, `${name} processed`, { calls: chance.happens(0.5) });
    });
    const isTogether = chance.happens(0.4);
    const together = chance.duration(5, 60_000);
    payout.transfers.forEach((transfer, place) => {
      const inMs = isTogether ? together : chance.duration(5, 120_000);
      this.after(payout, inMs, `${name} transfer ${place}`, (what) =>
        this.decide(payout, transfer, what),
      );
    });
    return payout;
  }

  protected attributesOf({ status, errors, transfers }: PlatformPayout) {
    const batches = transfers.map(batchOf).filter((batch) => batch.status !== null);
    return {
      status,
      source_identifier: null,
      currency: 'KES',
      destinations: transfers.map(({ destination }) => destination),
      transfer_batches: batches.length > 0 ? batches : null,
      errors,
    };
  }

  /** Every answer that says `Cancelled` is counted for the transfers that said so minutes before. */
  protected override wasRead(payout: PlatformPayout, body: Record<string, unknown>): void {
    const { attributes } = (body as { data: { attributes: { transfer_batches: unknown } } }).data;
    const batches = (attributes.transfer_batches ?? []) as { place: number; status: string }[];
    const cancelled = new Set(
      batches.filter(({ status }) => status === 'Cancelled').map(({ place }) => place),
    );
    payout.transfers.forEach((transfer, place) => {
      if (cancelled.has(place) && isMinutesAgo(transfer.cancelledAt, this.simulation))
        transfer.deniedInRead = true;
    });
  }

  private hidden(chance: Chance): ReadonlySet<string> {
    const { simulation } = this;
    const fields = simulation.happens(chance, 'fields not shown')
      ? [...ACCOUNT_FIELDS, 'destination_type', 'amount'].filter(() => chance.happens(0.7))
      : [];
    return new Set(fields);
  }

  private after(
    payout: PlatformPayout,
    inMs: number,
    name: string,
    run: (name: string) => void,
  ): void {
    this.simulation.scheduler.after(inMs, null, `${payout.id}: ${name}`, () => run(name));
  }

  private decide(payout: PlatformPayout, transfer: PlatformTransfer, name: string): void {
    const { simulation } = this;
    const { chance } = payout;
    if (simulation.happens(chance, 'transfer stuck')) {
      transfer.status = chance.pick(UNFINISHED);
      payout.consistent = false;
      simulation.reached('transfer without an outcome');
      this.show(payout, `${name} stuck`);
      return;
    }
    if (simulation.happens(chance, 'odd status')) {
      transfer.status = chance.pick(ODD);
      simulation.reached('unknown status of a transfer');
      this.show(payout, `${name} odd`);
      this.after(payout, chance.duration(10, 60_000), `${name} goes on`, (what) =>
        this.conclude(payout, transfer, what),
      );
      return;
    }
    this.conclude(payout, transfer, name);
  }

  private conclude(payout: PlatformPayout, transfer: PlatformTransfer, name: string): void {
    const { simulation } = this;
    const { chance } = payout;
    const isAffordable = this.platform.funds.has(transfer.cents);
    if (isAffordable && simulation.happens(chance, 'transferred with errors')) {
      payout.consistent = false;
      simulation.reached('Transferred with errors');
      if (chance.happens(0.5)) this.transfer(transfer);
      transfer.status = 'Transferred';
      transfer.errors = ['A later step failed'];
      this.show(payout, `${name} contradiction`);
      return;
    }
    if (isAffordable && simulation.happens(chance, 'transferred to another')) {
      payout.consistent = false;
      simulation.reached('transfer that names another destination');
      transfer.shownAs = elsewhere(transfer, chance);
      transfer.status = 'Transferred';
      transfer.reference = `T${this.platform.nextSerial('transfer')}`;
      this.show(payout, `${name} to another`);
      return;
    }
    const changesItsMind = simulation.happens(chance, 'transferred after cancelled');
    if (isAffordable && !changesItsMind && !simulation.happens(chance, 'transfer cancelled')) {
      this.transfer(transfer);
      this.mayRepeat(payout, transfer);
      this.show(payout, `${name} transferred`);
      return;
    }
    transfer.status = 'Cancelled';
    transfer.cancelledAt = simulation.scheduler.now;
    transfer.errors = isAffordable
      ? chance.pick([null, [], [chance.pick(FAILURES)]])
      : [FAILURES[1]];
    simulation.reached('transfer Cancelled');
    this.show(payout, `${name} cancelled`);
    if (!changesItsMind) return;
    payout.consistent = false;
    this.after(payout, changesItsMindIn(chance), `${name} after all`, (what) => {
      if (!this.platform.funds.has(transfer.cents)) return;
      this.transfer(transfer);
      simulation.reached('Transferred after Cancelled');
      this.show(payout, what);
    });
  }

  /** The platform may show one reference for two transfers. Then nobody can say which of them it made. */
  private mayRepeat(payout: PlatformPayout, transfer: PlatformTransfer): void {
    if (!this.simulation.happens(payout.chance, 'transfer shown twice')) return;
    for (const other of this.all.values()) {
      const twin = other.transfers.find(
        (each) => each !== transfer && each.reference !== null && each.status === 'Transferred',
      );
      if (!twin) continue;
      this.simulation.reached('one transfer shown twice');
      transfer.reference = twin.reference;
      payout.consistent = false;
      other.consistent = false;
      return;
    }
  }

  private transfer(transfer: PlatformTransfer): void {
    this.platform.funds.move(-transfer.cents);
    transfer.moved = true;
    transfer.status = 'Transferred';
    transfer.errors = null;
    if (transfer.destination.type !== 'bank_account')
      transfer.reference = `T${this.platform.nextSerial('transfer')}`;
  }
}

function batchOf(
  { destination, status, errors, reference, hidden, shownAs }: PlatformTransfer,
  place: number,
) {
  const shown: Record<string, unknown> = {
    amount: `${destination.amount}.0`,
    destination_type: destination.type,
    ...Object.fromEntries(ACCOUNT_FIELDS.map((field) => [field, destination[field]])),
  };
  for (const field of hidden) delete shown[field];
  Object.assign(shown, shownAs);
  return {
    place,
    status,
    amount: `${destination.amount}.0`,
    disbursements: [{ ...shown, status, errors, transaction_reference: reference }],
  };
}

/** Returns fields of a transfer that paid somebody else, or another amount. Whatever the transfer hides, it does not hide these. */
function elsewhere({ destination }: PlatformTransfer, chance: Chance): Record<string, unknown> {
  const phone = { destination_type: 'mobile_wallet', phone_number: '254700000077' };
  return chance.pick([
    phone,
    { ...phone, amount: null },
    { amount: `${Number(destination.amount) + 1}` },
  ]);
}

function forged(transfer: PlatformTransfer, place: number) {
  return batchOf({ ...transfer, status: 'Transferred', reference: 'FORGED' }, place);
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  return items
    .map((item) => ({ item, place: chance.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
