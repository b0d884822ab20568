import type {
  PaymentRecord,
  PaymentState,
} from '../../libs/payments/src/operations/payments/payment.js';
import { PHONES, PRICES, TILLS, type Money } from './platform.truth.js';
import { LISTENERS } from './simulated.listeners.js';
import type { World } from './simulated.world.js';

const SETTLED = new Set(['succeeded', 'failed', 'reversed', 'needs_review']);
const MONEY_IS_KNOWN = new Set(['succeeded', 'reversed', 'needs_review']);

/** Reviews that full proof ends without a person. */
export const SELF_SETTLING = new Set(['no_evidence', 'no_transaction', 'ambiguous']);

const OUTCOMES: Partial<Record<PaymentState, string>> = {
  succeeded: 'payment.succeeded',
  failed: 'payment.failed',
  reversed: 'payment.reversed',
};

/** A review is looked at once in this time, also from the second day on. */
const LOOKED_FOR_MS = 26 * 3_600_000;

/** Money that comes later after sending may be found by nobody; a little less than the rule says. */
const MATCHED_AFTER_MS = 14 * 60_000;

/** Compares, when all is quiet, what the library says with what the platform knows to be true. */
export class EndChecker {
  constructor(private readonly world: World) {}

  /** After the first days: nothing may be open any more. */
  settled(): void {
    for (const { key, record } of this.world.observer.payments.values()) {
      if (record && !SETTLED.has(record.state)) {
        this.world.violate('not settled', `payment ${key} is still ${record.state}`);
      }
    }
  }

  check(): void {
    this.settled();
    for (const { record, isMatched } of this.world.observer.payments.values()) {
      if (record) this.payment(record, isMatched === true);
    }
    this.moneyOfTwo();
    for (const { key, payment } of this.world.platform.arrivals) {
      if (payment?.money && !key.startsWith('b') && !this.world.observer.ofKey(key)) {
        this.world.violate('charged', `${key} was charged and no payment is recorded`);
      }
    }
    for (const money of this.world.platform.moneys) this.till(money);
    this.everyTransactionEmitted();
    this.bareResults();
    this.listeners();
  }

  private payment(record: PaymentRecord, isMatched: boolean): void {
    const { world } = this;
    const key = record.idempotencyKey;
    const decided = world.hosts.decided.has(record.id);
    const moneys = world.platform.moneys.filter(({ request }) => request?.key === key);
    const charged = moneys.length > 0;
    if (charged && !decided && !MONEY_IS_KNOWN.has(record.state)) {
      world.violate('charged', `${key} was charged and is ${record.state} (${record.reason})`);
    }
    const own = record.platformId === null ? null : world.platform.payments.get(record.platformId);
    if (record.platformId !== null && own?.key !== key) {
      world.violate('wrong id', `${key} has the platform id of ${own?.key}`);
    }
    const { transaction } = record;
    const money = transaction && world.checker.moneyOf(transaction);
    if (transaction && money && !decided) {
      const rightful =
        money.request?.key === key ||
        // Matched while nothing could tell them apart; the platform's own answer may come hours later.
        (isMatched && world.checker.isIndistinguishable(money, key));
      if (!rightful) world.violate('wrong money', `${key} has the money ${money.reference}`);
    }
    if (record.state === 'succeeded' && !charged && !money)
      world.violate('not charged', `${key} succeeded and nobody paid`);
    const reversal = money?.reversedAt ?? null;
    if (record.state === 'succeeded' && reversal !== null && !decided) {
      world.violate('reversal', `${key} is succeeded, its money ${money?.reference} went back`);
    }
    this.emitted(record);
    if (!decided) this.believed(record);
    if (!decided) this.found(record);
  }

  /** Whoever hosts the library learns of every outcome from an event. */
  private emitted({ idempotencyKey: key, state }: PaymentRecord): void {
    const { eventIds, reviews } = this.world.checker;
    const event = OUTCOMES[state];
    const isEmitted = event
      ? eventIds.has(`${event} ${key}`)
      : state !== 'needs_review' || reviews.has(key);
    if (!isEmitted) this.world.violate('no event', `${key} is ${state}, and no event said so`);
  }

  /** Money that only one payment without a platform id can own, and that was listed long ago, is that payment's. */
  private found(record: PaymentRecord): void {
    const { world } = this;
    const { platform, scheduler } = world;
    const key = record.idempotencyKey;
    if (record.state !== 'needs_review' || record.platformId !== null || !record.sentAt) return;
    if (!SELF_SETTLING.has(record.cause ?? '')) return;
    const { phoneNumber } = record.subscriber;
    const value = Number(record.amount.value);
    const isLike = (phone: string, amount: string | number): boolean =>
      phone === phoneNumber && Number(amount) === value;
    const truths = [...platform.payments.values()].filter(({ phone, amount }) =>
      isLike(phone, amount),
    );
    const others = [...world.observer.payments.values()].filter(
      (known) =>
        known.key !== key &&
        known.record &&
        isLike(known.record.subscriber.phoneNumber, known.record.amount.value),
    );
    // A request of the host's own is a rival also when it never reached the platform.
    const isAskedBare = world.plan.operations.some(
      (each) =>
        each.kind === 'bare' &&
        isLike(PHONES[each.customer] as string, PRICES[each.price] as string),
    );
    if (isAskedBare) return;
    const [truth] = truths;
    if (truths.length !== 1 || truth?.key !== key || others.length > 0) return;
    const moneys = platform.moneys.filter(({ amount }) => Number(amount) === value);
    const mayFit = moneys.filter(
      ({ phone, showsPayer }) => phone === phoneNumber || showsPayer === 'nothing',
    );
    const [money] = mayFit;
    if (mayFit.length !== 1 || !money || money !== truth.money) return;
    // One reference at two tills may be one sum under two numbers, or two: a person decides.
    const isShared = platform.moneys.some(
      (other) => other !== money && other.reference === money.reference,
    );
    if (isShared) return;
    if (!truth.consistent || money.reversedAt !== null || money.showsPayer === 'nothing') return;
    const since = Math.max(money.listedAt, world.listsAwayUntil);
    if (since > scheduler.now - LOOKED_FOR_MS || world.rate('till form swapped') > 0) return;
    const after = money.at + platform.offsetMs - record.sentAt.getTime();
    if (after < 0 || after > MATCHED_AFTER_MS) return;
    world.violate(
      'review without a reason',
      `${key} stays in review (${record.cause}), its money ${money.reference} can be no other's`,
    );
  }

  /** What the platform says consistently, the library must believe in the end. */
  private believed(record: PaymentRecord): void {
    const { world } = this;
    const key = record.idempotencyKey;
    if (record.state !== 'needs_review') return;
    const truth = [...world.platform.payments.values()].find((payment) => payment.key === key);
    const { aliases } = world.plan.settings;
    // A payment keeps the numbers of its till that were joined when it was recorded.
    const aliased =
      aliases === 'always' ||
      (aliases === 'removed' && record.createdAt.getTime() < world.aliasesRemovedAt) ||
      world.rate('till form swapped') === 0;
    if (!truth?.consistent || !aliased) return;
    if (truth.money && truth.money.reversedAt !== null) return;
    const said = truth.status === 'Success' || truth.status === 'Failed';
    if (!said) return;
    // It was matched, while its outcome was unknown, to money that then went back: such a review waits for a person.
    if (truth.status === 'Failed' && record.cause === 'reversed') return;
    if (record.platformId !== null) {
      world.violate(
        'review without a reason',
        `${key} stays in review (${record.cause}), the platform says ${truth.status} at any time`,
      );
    }
  }

  private moneyOfTwo(): void {
    const owners = new Map<string, string>();
    for (const { record, key } of this.world.observer.payments.values()) {
      const reference = record?.transaction?.reference;
      if (!record?.transaction || !reference) continue;
      if (record.state !== 'succeeded' && record.state !== 'reversed') continue;
      // The same reference at two tills that nothing joins is two sums.
      const moved = this.world.checker.moneyOf(record.transaction)?.id ?? reference;
      const isJoined = this.world.plan.settings.aliases === 'always';
      const money = isJoined ? moved : `${moved} ${record.transaction.tillNumber}`;
      const other = owners.get(money);
      if (other !== undefined) {
        this.world.violate('money of two', `${reference} is the money of ${other} and of ${key}`);
      }
      owners.set(money, key);
    }
  }

  /** Each transaction that a signed callback showed for a payment is its own, or was emitted as a reason for a review. */
  private everyTransactionEmitted(): void {
    const { world } = this;
    for (const { key, record } of world.observer.payments.values()) {
      if (!record || world.hosts.decided.has(record.id)) continue;
      for (const { request, reference, shownApplied } of world.platform.moneys) {
        if (request?.key !== key || !shownApplied || record.platformId !== request.id) continue;
        if (record.transaction?.reference === reference) continue;
        const emitted = world.checker.reviews.get(key) ?? [];
        if (emitted.some((detail) => detail.includes(reference))) continue;
        world.violate(
          'second transaction',
          `${reference} was shown for ${key}, and no event was emitted`,
        );
      }
    }
  }

  /** The result of a request that the host made itself, once it was taken, is emitted once. */
  private bareResults(): void {
    for (const { key, id, resultApplied } of this.world.platform.payments.values()) {
      if (!key.startsWith('b') || !resultApplied) continue;
      const emitted = this.world.checker.bareResults.get(id) ?? 0;
      if (emitted !== 1)
        this.world.violate('bare result', `the result of ${key} was emitted ${emitted} times`);
    }
  }

  private till(money: Money): void {
    const { world } = this;
    const { eventIds } = world.checker;
    const received = eventIds.get(`till.transaction.received ${money.id}`)?.size ?? 0;
    const reversed = eventIds.get(`till.transaction.reversed ${money.id}`)?.size ?? 0;
    // Sweeps emit nothing of what came before the first start, which is history.
    const { tills } = world.plan.settings;
    const isOwn = money.till === TILLS[0];
    if (!isOwn && tills === 'own' && received + reversed > 0)
      world.violate(
        'till of another',
        `${money.reference} of a till that is not listed was emitted`,
      );
    if (!isOwn && tills !== 'all') return;
    const isNew = money.at > world.firstReadyAt || money.receivedApplied;
    // Sweeps begin where the first process believed that now was.
    const rule = world.clocksAreRight ? 'till event' : 'till event after a wrong clock';
    if (isNew && received === 0 && (money.reversedAt === null || money.receivedApplied)) {
      world.violate(rule, `money ${money.reference} at the till was never emitted`);
    }
    const isNewReversal = money.at > world.firstReadyAt || money.reversalApplied;
    if (isNewReversal && money.reversedAt !== null && reversed === 0) {
      world.violate(rule, `the reversal of ${money.reference} was never emitted`);
    }
  }

  private listeners(): void {
    const { world } = this;
    for (const { id, name } of world.observer.events.values()) {
      for (const listener of LISTENERS) {
        if (listener.event !== name || world.checker.receivedBy.has(`${listener.id} ${id}`))
          continue;
        world.violate('listener', `${listener.id} never received ${name} ${id.slice(0, 8)}`);
      }
    }
  }
}
