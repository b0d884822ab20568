import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import {
  wholeRecipients,
  type PayoutRecord,
} from '../../libs/payments/src/operations/payouts/payout.js';
import { isPartly, restOf, type PlatformPayout } from './platform.truth.js';
import { placesOf } from './payout.places.js';
import type { Simulation } from './history.simulation.js';

/** A person looks this often, and this long after the last time. */
const MAX_LOOKS = 6;
const LOOKS_EVERY_MS = 4 * 3_600_000;

const MINUTE = 60_000;

/** People who resolve the reviews of payouts, refunds and links by the truth. */
export class HostReviews {
  /** Ids of operations that a person decided on. */
  readonly decided = new Set<string>();

  constructor(private readonly simulation: Simulation) {}

  settle(key: string, looks = MAX_LOOKS): void {
    const { simulation } = this;
    const record = simulation.observer.operationOf(key);
    const isRipe =
      record?.state === 'needs_review' &&
      // A person waits until the platform cannot change its mind any more.
      simulation.scheduler.now - record.updatedAt.getTime() > 15 * MINUTE &&
      !this.isOpen(key);
    if (record && isRipe) {
      this.decide(record);
      return;
    }
    if (looks === 0) return;
    simulation.scheduler.after(LOOKS_EVERY_MS, null, `PERSON looks at ${key}`, () =>
      this.settle(key, looks - 1),
    );
  }

  /** Nobody can judge a link that can still be paid. */
  private isOpen(key: string): boolean {
    const link = this.simulation.platform.links.ofKey(key);
    return link?.status === 'Active';
  }

  private decide(record: OperationRecord): void {
    const { simulation } = this;
    const { id, kind, idempotencyKey: key } = record;
    const replica = simulation.someReplica(simulation.chanceOf(simulation.nthOf(`settle ${key}`)));
    if (!replica) return;
    this.decided.add(id);
    const person = { by: 'Ann', note: 'looked it up' };
    const { platform } = simulation;
    const done = (asked: Promise<unknown>): void => {
      asked.then(
        () => simulation.reached(`decision of a person on a ${kind}`),
        () => simulation.reached(`decision on a ${kind} refused`),
      );
    };
    simulation.scheduler.park(replica, `PERSON resolves ${key}`, () => {
      if (kind === 'refund') {
        const moved = platform.reversals.ofKey(key)?.moved === true;
        done(replica.refunds.resolve(id, { state: moved ? 'succeeded' : 'failed', ...person }));
      }
      if (kind === 'payout') {
        const paid = paidIn(record as PayoutRecord, platform.payouts.ofKey(key));
        const all = (record as PayoutRecord).transfers.length;
        const state =
          paid.length === 0 ? 'failed' : paid.length === all ? 'succeeded' : 'partially_succeeded';
        done(
          replica.payouts.resolve(
            id,
            state === 'partially_succeeded' ? { state, paid, ...person } : { state, ...person },
          ),
        );
      }
      if (kind === 'payment_link') {
        const money = platform.links.ofKey(key)?.money ?? null;
        const isKept =
          money && (money.reversedAt === null || (isPartly(money) && restOf(money) > 0));
        const state = !money ? 'failed' : isKept ? 'succeeded' : 'reversed';
        const named = money && { reference: money.reference };
        done(replica.links.resolve(id, { state, ...person, ...named }));
      }
    });
  }
}

/** Returns the indexes of the destinations that were really paid. */
function paidIn(record: PayoutRecord, payout: PlatformPayout | null): number[] {
  const paid: number[] = [];
  for (const { identity, moved } of payout?.transfers ?? []) {
    const place = placesOf(wholeRecipients(record), identity).find((each) => !paid.includes(each));
    if (moved && place !== undefined) paid.push(place);
  }
  return paid;
}
