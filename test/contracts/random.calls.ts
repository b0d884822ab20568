import { createHash } from 'node:crypto';
import {
  FOR_EVER_MS,
  phoneHash,
  type GuardKey,
  type LedgerChange,
  type NewOperationRecord,
  type OperationFields,
  type OperationRecord,
  type PaymentsStore,
} from '@tillkit/payments/internal/store';
import { seededRandom } from '../campaigns/seeded.random.js';
import { aPayment, commitTo, ledgerChange, newAccount } from './store-under-test.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PHONES = ['+254700000001', '+254700000002', '+254700000003'];
const AMOUNTS = ['10000', '20000'];
const WAITS = [SECOND, 10 * SECOND, 61 * SECOND, HOUR, 5 * HOUR, 23 * HOUR, 3 * DAY, 12 * DAY];

type State = OperationRecord['state'];

const SENT: State[] = ['succeeded', 'partially_succeeded', 'failed', 'needs_review'];

/** The states that follow each state. A payment or link may be `reversed` as well; that needs a transaction. */
const NEXT: Partial<Record<State, State[]>> = {
  created: ['requested', 'failed'],
  requested: ['pending', 'unknown', ...SENT],
  pending: SENT,
  unknown: ['pending', ...SENT],
  needs_review: ['succeeded', 'partially_succeeded', 'failed'],
  failed: ['needs_review'],
  partially_succeeded: ['needs_review'],
};

/** A call that every store must answer in the same way. */
export interface Call {
  name: string;
  run(store: PaymentsStore): Promise<unknown>;
  /** The milliseconds that pass after the call. */
  thenMs: number;
}

/** Draws calls of the store of operations: of every kind, with guards, limits, approvals, stale versions, claims and retention. */
export class RandomCalls {
  private readonly account = newAccount();
  private readonly operations: Pick<OperationRecord, 'id' | 'kind' | 'idempotencyKey'>[] = [];
  private readonly random: () => number;
  private drawn = 0;

  /** @param known a store that has answered all calls so far: what is drawn depends on what it has */
  constructor(
    seed: number,
    private readonly known: PaymentsStore,
    private readonly now: () => number,
  ) {
    this.random = seededRandom(seed * 2_654_435_761);
  }

  async draw(): Promise<Call> {
    this.drawn += 1;
    const dice = this.random();
    if (this.operations.length === 0 || dice < 0.22) return this.record();
    if (dice < 0.62) return this.commit();
    if (dice < 0.72) return this.claim();
    if (dice < 0.78) return this.schedule();
    if (dice < 0.82) return this.makeDue();
    if (dice < 0.87) return this.findCandidates();
    if (dice < 0.92) return this.retention();
    return this.call('wait', async () => null, this.oneOf(WAITS));
  }

  /** Reads all that the calls so far have stored. */
  all(): Call {
    const { account } = this;
    return this.call('read all', async ({ operations }) => {
      const found = await operations.findMany(account, this.ids());
      const of = async (id: string) => [found.get(id), await operations.history(account, id)];
      return Promise.all(this.ids().map(of));
    });
  }

  private async record(): Promise<Call> {
    const operation = this.newOperation();
    const isHeld = 'needsApproval' in operation && operation.needsApproval;
    const { id, kind, idempotencyKey } = operation;
    this.operations.push({ id, kind, idempotencyKey });
    const isMarked = !isHeld && !operation.inBackground && this.happens(0.5);
    const mark = isMarked ? { sender: 'me', sentAt: new Date(this.now()) } : undefined;
    const options = { sendBeforeMs: isHeld ? -100 * 365 * DAY : MINUTE, isHeld, mark };
    return this.call(`record ${kind}`, async (store) => {
      const result = await store.operations.record(operation, options);
      // Any of several operations may be named as the one in flight.
      return result.kind === 'in_flight' ? result.kind : result;
    });
  }

  private newOperation(): NewOperationRecord {
    const kind = this.oneOf(['payment', 'payout', 'payout', 'refund', 'payment_link'] as const);
    const amountMinor = this.oneOf(AMOUNTS);
    const before = this.operations.filter((one) => one.kind === kind);
    const isRepeated = before.length > 0 && this.happens(0.1);
    const idempotencyKey = isRepeated ? this.oneOf(before).idempotencyKey : `key-${this.drawn}`;
    const {
      channel,
      tillNumber,
      subscriber,
      order,
      guard: _,
      ...common
    } = aPayment(this.account, {
      idempotencyKey,
      amount: { currency: 'KES', value: `${amountMinor.slice(0, -2)}.00` },
      amountMinor,
      inBackground: this.happens(0.4),
      besides:
        kind !== 'refund' && before.length > 0 && this.happens(0.3)
          ? [this.oneOf(before).id, this.oneOf(before).id]
          : [],
    });
    switch (kind) {
      case 'payment': {
        const tills = this.oneOf([['1'], ['K1'], ['2'], ['1', '2']]);
        const payer = { ...subscriber, phoneNumber: this.oneOf(PHONES) };
        const asked = { ...common, channel, tillNumber: '1', tills, order, subscriber: payer };
        // A payment is guarded by its payer and by its order.
        const payment = aPayment(this.account, asked);
        const keys = [...payment.guard!.keys, ...this.orderKeys()];
        return { ...payment, guard: { keys } };
      }
      case 'payout':
        return this.newPayout(common, amountMinor);
      case 'refund': {
        const key = hashOf(`reference ${this.oneOf(AMOUNTS)}`);
        const guard = { keys: [{ key, paidForMs: FOR_EVER_MS }] };
        const money = { paymentId: null, reference: 'R', tillNumber: '1' };
        const personal = { metadata: null, why: 'w', requestedBy: 'jane' };
        return { ...common, kind, tills: [], guard, ...money, ...personal };
      }
      case 'payment_link': {
        const link = { tillNumber, order, paymentReference: null, note: 'n', requestedBy: 'jane' };
        return { ...common, kind, tills: ['1'], guard: { keys: this.orderKeys() }, ...link };
      }
    }
  }

  /** Payments and links may be of one order, which is paid once. */
  private orderKeys(): GuardKey[] {
    const key = hashOf(`order ${this.oneOf(AMOUNTS)}`);
    return this.happens(0.3) ? [{ key, paidForMs: FOR_EVER_MS }] : [];
  }

  private newPayout(
    common: Omit<
      ReturnType<typeof aPayment>,
      'channel' | 'tillNumber' | 'subscriber' | 'order' | 'guard'
    >,
    amountMinor: string,
  ): NewOperationRecord {
    const phones = PHONES.filter(() => this.happens(0.5));
    const people = phones.length > 0 ? phones : PHONES.slice(0, 1);
    const type = 'mobile_wallet';
    const keys = people
      .map((phone) => hashOf(`${phone} ${amountMinor}`))
      .toSorted()
      .map((key) => ({ key, paidForMs: HOUR }));
    const counted = Object.fromEntries(people.map((phone) => [hashOf(phone), amountMinor]));
    const wallet = { type, network: 'Safaricom', amount: '1', description: 'd' } as const;
    return {
      ...common,
      kind: 'payout',
      tills: [],
      guard: { keys, counted },
      ...(this.happens(0.5) && { approveFromMinor: this.oneOf(['20000', '40000']) }),
      ...(this.happens(0.5) && { dailyLimitMinor: this.oneOf(['30000', '60000', '90000']) }),
      sourceIdentifier: null,
      transfers: people.map(() => ({ type, amount: '1' })),
      recipients: people.map((phoneNumber) => ({ ...wallet, phoneNumber })),
      requestedBy: 'jane',
      needsApproval: this.happens(0.3),
    };
  }

  private async commit(): Promise<Call> {
    const found = await this.some();
    if (!found) return this.claim();
    const set = this.change(found);
    const state = set.state ?? found.state;
    const isApproved = set.approvedBy !== undefined;
    // The ledger never makes one due that has ended.
    const isOver = state === 'succeeded' || state === 'reversed';
    const dueInMs = isOver ? null : this.oneOf([undefined, null, 0, MINUTE, HOUR]);
    const more: Partial<LedgerChange> & { dueInMs?: number | null; sendWithinMs?: number } = {
      ...(dueInMs !== undefined && { dueInMs }),
      ...(isApproved && { sendWithinMs: MINUTE }),
      history: [{ via: 'status', what: 'note', detail: 'x' }],
    };
    const version = found.version - (this.happens(0.05) ? 1 : 0);
    const change = ledgerChange({ ...found, version }, set, more);
    return this.call(
      `commit ${found.kind} ${found.state} ${JSON.stringify(set)}`,
      async (store) => {
        const isCommitted = (await commitTo(store, change)) !== null;
        return [isCommitted, await store.operations.find(this.account, found.id)];
      },
    );
  }

  private change(found: OperationRecord): OperationFields {
    const { kind, state, sentAt } = found;
    if (kind === 'payout' && state === 'created' && !found.approvedBy && this.happens(0.4))
      return { approvedBy: 'peter' };
    const isSent = state === 'created' || sentAt !== null;
    const states = (isSent ? (NEXT[state] ?? []) : []).filter(
      (next) => next !== 'partially_succeeded' || kind === 'payout',
    );
    return {
      ...(states.length > 0 && this.happens(0.75) && this.changeTo(this.oneOf(states), sentAt)),
      ...(state !== 'created' &&
        found.platformId === null &&
        this.happens(0.2) && { platformId: `p-${Math.floor(this.random() * 40)}` }),
      ...(this.happens(0.1) && { decided: true }),
      ...(this.happens(0.1) && { deniedAt: new Date(this.now()) }),
      ...(kind === 'payout' &&
        this.happens(0.2) && {
          outcome: [{ state: 'paid', transactionReference: 'X', errors: ['name'] }],
        }),
      ...(kind === 'refund' &&
        this.happens(0.2) && { outcome: { state: 'failed', reference: null } }),
    };
  }

  private changeTo(state: State, sentAt: Date | null): OperationFields {
    if (state === 'requested') return { state, sender: 'sender', sentAt: new Date(this.now()) };
    if (state === 'failed') {
      const reasons = ['rejected', 'unknown', 'not_sent'] as const;
      return { state, reason: sentAt ? this.oneOf(reasons) : 'declined', errors: ['name'] };
    }
    if (state !== 'needs_review') return { state };
    const causes = ['no_evidence', 'second_transaction'] as const;
    return { state, cause: this.oneOf(causes), causeDetail: 'd' };
  }

  private claim(): Call {
    const followed = this.happens(0.5);
    const due = { followed, limit: 1_000, leaseMs: 30 * SECOND, sendLeaseMs: 5 * SECOND };
    return this.call(`claim ${followed ? 'settled' : 'open'} ones`, async ({ operations }) => {
      const claimed = await operations.claimDue([this.account], due);
      return (
        claimed
          // PostgreSQL may make other operations due as well that cannot be matched. They are only scheduled again.
          .filter(({ kind, platformId }) => kind === 'payment' || platformId !== null)
          .map(({ id }) => id)
          .toSorted()
      );
    });
  }

  private async schedule(): Promise<Call> {
    const found = await this.some();
    if (!found || found.state === 'succeeded') return this.claim();
    const next = { inMs: null, checks: this.drawn };
    return this.call('schedule', ({ operations }) => operations.schedule(found, next));
  }

  private makeDue(): Call {
    const ids = [this.oneOf(this.ids()), this.oneOf(this.ids())];
    const reason = { cause: this.oneOf(['a', 'b']), againAfterMs: HOUR };
    return this.call('make due', ({ operations }) => operations.makeDue(this.account, ids, reason));
  }

  private findCandidates(): Call {
    const query = {
      currency: 'KES',
      amountMinor: this.oneOf(AMOUNTS),
      payerHash: this.oneOf([null, phoneHash(PHONES[0] as string)]),
      sentFrom: new Date(this.now() - DAY),
      sentTo: new Date(this.now()),
      anybodySentFrom: new Date(this.now() - 8 * DAY),
    };
    return this.call('find candidates', async ({ operations }) =>
      (await operations.findCandidates(this.account, query)).map(({ id }) => id).toSorted(),
    );
  }

  private retention(): Call {
    const policy = {
      personalDataMs: this.oneOf([2 * DAY, 7 * DAY]),
      dedupeForMs: this.oneOf([40 * DAY, 1_000 * DAY]),
      limit: 1_000,
    };
    return this.call('retention', async (store) => {
      await store.retention.apply(this.account, policy);
      return this.all().run(store);
    });
  }

  private call(name: string, run: Call['run'], thenMs = 1): Call {
    return { name, run, thenMs };
  }

  private some(): Promise<OperationRecord | null> {
    return this.known.operations.find(this.account, this.oneOf(this.ids()));
  }

  private ids(): string[] {
    return this.operations.map(({ id }) => id);
  }

  private oneOf<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)] as T;
  }

  private happens(chance: number): boolean {
    return this.random() < chance;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
