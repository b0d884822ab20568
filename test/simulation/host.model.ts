import type { RequestPayment } from '../../libs/payments/src/operations/payments/request-payment.dto.js';
import { PaymentsError } from '../../libs/payments/src/payments.errors.js';
import type { Operation } from './history.plan.js';
import { HostTransactionModel, type SimulatedTransaction } from './host.transaction.js';
import { ALIASES, OWN_TILLS, PHONES, PRICES, TILLS, type Money } from './platform.truth.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Simulation } from './history.simulation.js';

/** One call of `request()` by a host. */
export interface Call {
  key: string;
  replica: SimulatedReplica;
  /** Whether it has sent a create. */
  sent: boolean;
  state: 'running' | 'answered' | 'failed' | 'lost';
}

type Ask = Operation & { kind: 'request' | 'record' };

/** How often a host asks before it gives up. */
const MAX_ASKS = 4;

interface Read {
  at: number;
  state: string;
}

/** Share of requests with the other number of the till. */
const OTHER_NUMBER = 0.15;

/** Share of decisions in which a person has returned the money by other means, and decides `failed`. */
const PAID_BACK = 0.2;

/** Carries out the operations of hosts, customers and operators in the plan. */
export class HostModel {
  readonly calls: Call[] = [];
  /** Host transactions by idempotency key. A payment that was recorded in one is sent only after its commit. */
  readonly transactions = new Map<string, SimulatedTransaction>();
  /** Ids of payments that a person tried to decide. */
  readonly decided = new Set<string>();
  private readonly asks = new Map<string, Ask>();
  private readonly reads = new Map<string, Read>();
  private readonly onLost = new Map<SimulatedReplica, (() => void)[]>();

  constructor(private readonly simulation: Simulation) {}

  /** Schedules every operation of the plan. */
  begin(): void {
    const { scheduler, plan } = this.simulation;
    for (const operation of plan.operations) {
      if (operation.kind === 'request' || operation.kind === 'record') {
        this.asks.set(operation.key, operation);
      }
      scheduler.after(operation.at + 50, null, `HOST ${operation.id}`, () => this.run(operation));
    }
  }

  /** Gives the platform the webhook URL, as an operator does. */
  subscribe(replica: SimulatedReplica): void {
    const { settings } = this.simulation.plan;
    if (settings.webhooks) this.simulation.platform.webhookUrl = replica.webhooks.webhookUrl();
  }

  lost(replica: SimulatedReplica): void {
    for (const call of this.calls) {
      if (call.replica === replica && call.state === 'running') {
        call.state = 'lost';
        if (call.sent) this.simulation.reached('crash between sending and answer');
      }
    }
    const waiting = this.onLost.get(replica) ?? [];
    this.onLost.delete(replica);
    for (const next of waiting) next();
  }

  /** Rolls back the transactions that are still open. */
  endTransactions(): void {
    for (const transaction of this.transactions.values()) {
      if (transaction.state === 'open') transaction.rollback();
    }
  }

  private run(operation: Operation): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    switch (operation.kind) {
      case 'request':
        this.request(operation, operation.key, 1);
        break;
      case 'repeat': {
        const ask = this.asks.get(operation.key);
        if (ask) this.request(ask, operation.key, MAX_ASKS);
        break;
      }
      case 'record':
        this.record(operation);
        break;
      case 'bare':
        this.bare(operation);
        break;
      case 'lists outage':
        simulation.listsAwayUntil = scheduler.now + operation.lastsMs;
        simulation.reached('outage of polling');
        break;
      case 'walk in':
        simulation.platform.walkIn(
          operation.id,
          PHONES[operation.customer] as string,
          `${Number(PRICES[operation.price])}.0`,
          operation.till,
        );
        break;
      case 'crash': {
        const replica = simulation.replicas[operation.replica % simulation.plan.replicas];
        if (replica) simulation.crash(replica, operation.downMs);
        break;
      }
      case 'restart all':
        this.restartAll(operation.id, operation.what);
        break;
      case 'store outage':
        simulation.storeAwayUntil = scheduler.now + operation.lastsMs;
        scheduler.changesAfter(operation.lastsMs);
        simulation.reached('store outage');
        break;
      case 'platform outage':
        simulation.platformAwayUntil = scheduler.now + operation.lastsMs;
        simulation.platformAway = operation.how;
        simulation.reached('platform outage');
        break;
      case 'resolve':
        this.resolve(operation, 3);
        break;
      case 'read':
        this.read(operation);
        break;
    }
  }

  /** Calls `request()`, and again after an error if the plan says so. */
  private request(ask: Ask, key: string, asked: number): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const afterError = ask.kind === 'request' ? ask.afterError : 'same key';
    const name = simulation.nthOf(`ask ${key}`);
    const chance = simulation.chanceOf(name);
    const replica = simulation.someReplica(chance);
    const again = (): void => {
      if (asked >= MAX_ASKS || afterError === 'nothing') return;
      const next = afterError === 'new key' ? `${key}'` : key;
      if (afterError === 'new key') simulation.reached('new idempotency key after an error');
      scheduler.after(chance.duration(50, 40_000), null, `HOST asks again ${next}`, () =>
        this.request(ask, next, asked + 1),
      );
    };
    if (!replica) {
      scheduler.after(1_000, null, `HOST finds no replica for ${key}`, again);
      return;
    }
    const call: Call = { key, replica, sent: false, state: 'running' };
    this.calls.push(call);
    this.whenLost(replica, () => {
      if (call.state === 'lost') again();
    });
    scheduler.park(replica, `HOST requests ${key} at ${replica.name}`, () => {
      replica.payments.request(this.input(ask, key)).then(
        () => {
          call.state = 'answered';
        },
        (error: unknown) => {
          call.state = 'failed';
          const code = error instanceof PaymentsError ? error.code : String(error);
          scheduler.note(`HOST request of ${key} ended in ${code}`);
          simulation.reached(`request() refused: ${code}`);
          simulation.checker.callFailed(call, error);
          again();
        },
      );
    });
  }

  /** The host sends a bare request: no payment is recorded, and no payment may get its money. */
  private bare(operation: Operation & { kind: 'bare' }): void {
    const { simulation } = this;
    const { key, id } = operation;
    const replica = simulation.someReplica(simulation.chanceOf(id));
    if (!replica) return;
    const call: Call = { key, replica, sent: false, state: 'running' };
    this.calls.push(call);
    const {
      allowParallel: _,
      idempotencyKey: _key,
      ...dto
    } = this.input({ ...operation, allowParallel: false }, key);
    simulation.scheduler.park(
      replica,
      `HOST sends the bare request ${key} at ${replica.name}`,
      () => {
        replica.bare.create(dto).then(
          () => {
            call.state = 'answered';
            simulation.reached('bare request created');
          },
          () => {
            call.state = 'failed';
            simulation.reached('bare request with an error');
          },
        );
      },
    );
  }

  private record(operation: Operation & { kind: 'record' }): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const { key } = operation;
    const replica = simulation.someReplica(simulation.chanceOf(operation.id));
    if (!replica || this.transactions.has(key)) return;
    const transaction = simulation.backend?.transaction(key) ?? new HostTransactionModel();
    this.transactions.set(key, transaction);
    this.whenLost(replica, () => {
      if (transaction.state === 'open') transaction.rollback();
    });
    scheduler.park(replica, `HOST records ${key} at ${replica.name}`, () => {
      replica.payments.record(this.input(operation, key), { transaction }).then(
        () => {
          if (operation.end === 'leave open') {
            simulation.reached('host transaction left open');
            return;
          }
          scheduler.after(operation.openMs, replica, `HOST ${operation.end} of ${key}`, () => {
            if (operation.end === 'rollback' || transaction.state !== 'open') {
              transaction.rollback();
              simulation.reached('host transaction rolled back');
              return;
            }
            void transaction.commit(simulation).then((done) => {
              simulation.reached(done ? 'host transaction committed' : 'host transaction refused');
              return simulation.observer.recordingVisible(key);
            });
          });
        },
        () => transaction.rollback(),
      );
    });
  }

  private resolve(operation: Operation & { kind: 'resolve' }, tries: number): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const payment = simulation.observer.ofKey(operation.key);
    if (payment?.state !== 'needs_review') {
      if (tries === 0) return;
      scheduler.after(operation.afterMs + 3_600_000, null, `PERSON looks at ${operation.key}`, () =>
        this.resolve(operation, tries - 1),
      );
      return;
    }
    const money = simulation.platform.moneys.find(({ request }) => request?.key === operation.key);
    this.decide(payment.id, operation.key, money ?? null, 'Ann', operation.wrongly);
    if (operation.twice) {
      simulation.reached('two people decide at once');
      this.decide(payment.id, operation.key, money ?? null, 'Ben');
    }
    const other = operation.other === null ? null : simulation.observer.ofKey(operation.other);
    const oneTill = other?.tillNumber === payment.tillNumber;
    if (other && oneTill && other.id !== payment.id && other.state === 'needs_review' && money) {
      simulation.reached('two people name one reference for two payments');
      this.decide(other.id, operation.other ?? '', money, 'Ben');
    }
  }

  private decide(id: string, key: string, money: Money | null, by: string, wrongly = false): void {
    const { simulation } = this;
    const chance = simulation.chanceOf(simulation.nthOf(`decide ${key}`));
    const replica = simulation.someReplica(chance);
    if (!replica) return;
    const isConfirmed = money?.reversedAt === null || wrongly;
    // Some customers get their money back by other means, but only money that is known to be theirs.
    const isKnown = simulation.observer.ofKey(key)?.transaction?.reference === money?.reference;
    const paid = isKnown && chance.happens(PAID_BACK) ? 'failed' : 'succeeded';
    const state = !money ? 'failed' : isConfirmed ? paid : 'reversed';
    this.decided.add(id);
    simulation.scheduler.park(replica, `PERSON ${by} resolves ${key} as ${state}`, () => {
      const decision = { by, note: 'looked it up', ...(money && { reference: money.reference }) };
      replica.payments.resolve(id, { state, ...decision }).then(
        () => simulation.reached('decision of a person'),
        () => simulation.reached('decision refused'),
      );
    });
  }

  private read(operation: Operation & { kind: 'read' }): void {
    const { simulation } = this;
    const { key } = operation;
    const payment = simulation.observer.ofKey(key);
    const replica = simulation.someReplica(simulation.chanceOf(operation.id));
    if (!payment || !replica) return;
    const before = this.reads.get(key);
    const check = (found: { state: string; updatedAt: Date } | null): void => {
      if (!found) {
        simulation.violate('stale read', `payment ${key} was found before and is not found now`);
        return;
      }
      const at = found.updatedAt.getTime();
      if (before && at < before.at)
        simulation.violate(
          'stale read',
          `payment ${key} was read as ${before.state}, and later as ${found.state}, an older version`,
        );
      if (at >= (this.reads.get(key)?.at ?? 0)) this.reads.set(key, { at, state: found.state });
    };
    simulation.scheduler.park(replica, `HOST reads ${key} (${operation.how})`, () => {
      const { payments } = replica;
      if (operation.how === 'transaction') {
        this.findTransaction(replica);
        return;
      }
      const reading =
        operation.how === 'find'
          ? payments.find(payment.id)
          : payments.settled(payment.id, { timeoutMs: 3_000 });
      reading.then(check, () => undefined);
    });
    if (operation.how === 'find') {
      simulation.scheduler.after(700, null, `HOST reads ${key} again`, () =>
        this.read({ ...operation, how: 'settled' }),
      );
    }
  }

  /** A transaction can be found after its event was emitted, with the same amount. */
  private findTransaction(replica: SimulatedReplica): void {
    const { simulation } = this;
    const { checker, platform } = simulation;
    for (const money of platform.moneys) {
      if (!checker.eventIds.has(`till.transaction.received ${money.id}`)) continue;
      const tillNumber = checker.tillsEmitted.get(money.id) ?? '';
      simulation.reached('findTransaction');
      replica.payments.findTransaction({ reference: money.reference, tillNumber }).then(
        (found) => {
          if (found && Number(found.amount) === Number(money.amount)) return;
          simulation.violate(
            'stale read',
            `${money.reference} was emitted with ${money.amount}, but findTransaction returns ${found?.amount}`,
          );
        },
        () => undefined,
      );
    }
  }

  private restartAll(name: string, what: 'aliases' | 'keys' | 'tills' | 'same'): void {
    const { simulation } = this;
    const chance = simulation.chanceOf(name);
    if (what === 'aliases') {
      const { aliases } = simulation.plan.settings;
      if (aliases === 'added') simulation.change({ aliases: ALIASES });
      if (aliases === 'removed') simulation.change({ aliases: {} });
      simulation.reached('restart with other aliases');
    }
    if (what === 'keys') {
      const verification = chance.pick(['signature', 'both', 'url', 'url'] as const);
      simulation.change({ verification });
      simulation.reached('restart with other keys');
    }
    if (what === 'tills') {
      const { tills } = simulation.plan.settings;
      if (tills === 'widened') simulation.change({ tills: [] });
      if (tills === 'narrowed') simulation.change({ tills: OWN_TILLS });
      if (tills === 'widened' || tills === 'narrowed')
        simulation.reached('restart with other tills');
    }
    let inMs = 0;
    const isGraceful = chance.happens(0.6);
    for (const replica of simulation.living()) {
      simulation.scheduler.after(inMs, null, `deploy in slot ${replica.slot}`, () => {
        const downMs = chance.duration(10, 5_000);
        if (isGraceful) simulation.shutDown(replica, downMs);
        else simulation.crash(replica, downMs);
      });
      inMs += chance.duration(10, 30_000);
    }
  }

  private input(
    ask: Pick<Ask, 'till' | 'customer' | 'price' | 'allowParallel'>,
    key: string,
  ): RequestPayment {
    return {
      idempotencyKey: key,
      tillNumber: TILLS[ask.till]?.forms[this.formOf(key)] as string,
      subscriber: {
        firstName: 'Jane',
        lastName: 'Doe',
        phoneNumber: PHONES[ask.customer] as string,
      },
      amount: { currency: 'KES', value: PRICES[ask.price] as string },
      metadata: { order: key },
      allowParallel: ask.allowParallel,
    };
  }

  /** Some requests use the other number of the till. Repeats of a key use the same number. */
  private formOf(key: string): 0 | 1 {
    const { simulation } = this;
    const areJoined = simulation.plan.settings.aliases === 'always';
    return areJoined && simulation.chanceOf(`till of ${key}`).happens(OTHER_NUMBER) ? 1 : 0;
  }

  private whenLost(replica: SimulatedReplica, next: () => void): void {
    const waiting = this.onLost.get(replica) ?? [];
    waiting.push(next);
    this.onLost.set(replica, waiting);
  }
}
