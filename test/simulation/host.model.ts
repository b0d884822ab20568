import type { RequestPayment } from '../../libs/payments/src/operations/payments/request-payment.dto.js';
import { PaymentsError } from '../../libs/payments/src/payments.errors.js';
import type { Operation } from './history.plan.js';
import { HostTransactionModel, type SimulatedTransaction } from './host.transaction.js';
import { ALIASES, OWN_TILLS, PHONES, PRICES, TILLS, type Money } from './platform.truth.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';

/** One call of `request()` that a host made. */
export interface Call {
  key: string;
  replica: SimulatedReplica;
  /** Whether it has sent a create. */
  sent: boolean;
  state: 'living' | 'answered' | 'failed' | 'lost';
}

type Ask = Operation & { kind: 'request' | 'record' };

/** A host asks this often before it gives up. */
const MOST_ASKS = 4;

interface Read {
  at: number;
  state: string;
}

/** How often a host asks under the other number of its till. */
const OTHER_NUMBER = 0.15;

/** How often a person gives the money back by other means, and calls the payment failed. */
const PAID_BACK = 0.2;

/** What hosts, customers and operators do, by the plan. */
export class HostModel {
  readonly calls: Call[] = [];
  /** Host transactions by key: whether a payment that was recorded in one may be sent. */
  readonly transactions = new Map<string, SimulatedTransaction>();
  /** Payments that a person tried to decide, by id. */
  readonly decided = new Set<string>();
  private readonly asks = new Map<string, Ask>();
  private readonly reads = new Map<string, Read>();
  private readonly onLost = new Map<SimulatedReplica, (() => void)[]>();

  constructor(private readonly world: World) {}

  /** Puts every operation of the plan into time. */
  begin(): void {
    const { scheduler, plan } = this.world;
    for (const operation of plan.operations) {
      if (operation.kind === 'request' || operation.kind === 'record') {
        this.asks.set(operation.key, operation);
      }
      scheduler.after(operation.at + 50, null, `HOST ${operation.id}`, () => this.run(operation));
    }
  }

  /** The operator gives the platform the URL for webhooks. */
  subscribe(replica: SimulatedReplica): void {
    const { settings } = this.world.plan;
    if (settings.webhooks) this.world.platform.webhookUrl = replica.webhooks.webhookUrl();
  }

  lost(replica: SimulatedReplica): void {
    for (const call of this.calls) {
      if (call.replica === replica && call.state === 'living') {
        call.state = 'lost';
        if (call.sent) this.world.met('crash between sending and answer');
      }
    }
    const waiting = this.onLost.get(replica) ?? [];
    this.onLost.delete(replica);
    for (const next of waiting) next();
  }

  /** Transactions that are still open end as their connections do. */
  endTransactions(): void {
    for (const transaction of this.transactions.values()) {
      if (transaction.state === 'open') transaction.rollback();
    }
  }

  private run(operation: Operation): void {
    const { world } = this;
    const { scheduler } = world;
    switch (operation.kind) {
      case 'request':
        this.request(operation, operation.key, 1);
        break;
      case 'repeat': {
        const ask = this.asks.get(operation.key);
        if (ask) this.request(ask, operation.key, MOST_ASKS);
        break;
      }
      case 'record':
        this.record(operation);
        break;
      case 'bare':
        this.bare(operation);
        break;
      case 'lists outage':
        world.listsAwayUntil = scheduler.now + operation.lastsMs;
        world.met('lists outage');
        break;
      case 'walk in':
        world.platform.walkIn(
          operation.id,
          PHONES[operation.customer] as string,
          `${Number(PRICES[operation.price])}.0`,
          operation.till,
        );
        break;
      case 'crash': {
        const replica = world.replicas[operation.replica % world.plan.replicas];
        if (replica) world.crash(replica, operation.downMs);
        break;
      }
      case 'restart all':
        this.restartAll(operation.id, operation.what);
        break;
      case 'store outage':
        world.storeAwayUntil = scheduler.now + operation.lastsMs;
        scheduler.changesAfter(operation.lastsMs);
        world.met('store outage');
        break;
      case 'platform outage':
        world.platformAwayUntil = scheduler.now + operation.lastsMs;
        world.platformAway = operation.how;
        world.met('platform outage');
        break;
      case 'resolve':
        this.resolve(operation, 3);
        break;
      case 'read':
        this.read(operation);
        break;
    }
  }

  /** Asks once, and again as this host does after an error. */
  private request(ask: Ask, key: string, asked: number): void {
    const { world } = this;
    const { scheduler } = world;
    const afterError = ask.kind === 'request' ? ask.afterError : 'same key';
    const name = world.nthOf(`ask ${key}`);
    const chance = world.chanceOf(name);
    const replica = world.someReplica(chance);
    const again = (): void => {
      if (asked >= MOST_ASKS || afterError === 'nothing') return;
      const next = afterError === 'new key' ? `${key}'` : key;
      if (afterError === 'new key') world.met('new key after an error');
      scheduler.after(chance.duration(50, 40_000), null, `HOST asks again ${next}`, () =>
        this.request(ask, next, asked + 1),
      );
    };
    if (!replica) {
      scheduler.after(1_000, null, `HOST finds nobody for ${key}`, again);
      return;
    }
    const call: Call = { key, replica, sent: false, state: 'living' };
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
          world.met(`request() refused: ${code}`);
          world.checker.callFailed(call, error);
          again();
        },
      );
    });
  }

  /** The host asks the platform by itself: no payment is recorded, and its money is not to be taken for a payment's. */
  private bare(operation: Operation & { kind: 'bare' }): void {
    const { world } = this;
    const { key, id } = operation;
    const replica = world.someReplica(world.chanceOf(id));
    if (!replica) return;
    const call: Call = { key, replica, sent: false, state: 'living' };
    this.calls.push(call);
    const {
      allowParallel: _,
      idempotencyKey: _key,
      ...dto
    } = this.input({ ...operation, allowParallel: false }, key);
    world.scheduler.park(replica, `HOST creates ${key} by itself at ${replica.name}`, () => {
      replica.bare.create(dto).then(
        () => {
          call.state = 'answered';
          world.met('bare create');
        },
        () => {
          call.state = 'failed';
          world.met('bare create without an outcome');
        },
      );
    });
  }

  private record(operation: Operation & { kind: 'record' }): void {
    const { world } = this;
    const { scheduler } = world;
    const { key } = operation;
    const replica = world.someReplica(world.chanceOf(operation.id));
    if (!replica || this.transactions.has(key)) return;
    const transaction = world.backend?.transaction(key) ?? new HostTransactionModel();
    this.transactions.set(key, transaction);
    this.whenLost(replica, () => {
      if (transaction.state === 'open') transaction.rollback();
    });
    scheduler.park(replica, `HOST records ${key} at ${replica.name}`, () => {
      replica.payments.record(this.input(operation, key), { transaction }).then(
        () => {
          if (operation.end === 'leave open') {
            world.met('host transaction left open');
            return;
          }
          scheduler.after(operation.openMs, replica, `HOST ${operation.end} of ${key}`, () => {
            if (operation.end === 'rollback' || transaction.state !== 'open') {
              transaction.rollback();
              world.met('host transaction rolled back');
              return;
            }
            void transaction.commit(world).then((done) => {
              world.met(done ? 'host transaction committed' : 'host transaction refused');
              return world.observer.appeared(key);
            });
          });
        },
        () => transaction.rollback(),
      );
    });
  }

  private resolve(operation: Operation & { kind: 'resolve' }, tries: number): void {
    const { world } = this;
    const { scheduler } = world;
    const payment = world.observer.ofKey(operation.key);
    if (payment?.state !== 'needs_review') {
      if (tries === 0) return;
      scheduler.after(operation.afterMs + 3_600_000, null, `PERSON looks at ${operation.key}`, () =>
        this.resolve(operation, tries - 1),
      );
      return;
    }
    const money = world.platform.moneys.find(({ request }) => request?.key === operation.key);
    this.decide(payment.id, operation.key, money ?? null, 'Ann', operation.wrongly);
    if (operation.twice) {
      world.met('two people decide at once');
      this.decide(payment.id, operation.key, money ?? null, 'Ben');
    }
    const other = operation.other === null ? null : world.observer.ofKey(operation.other);
    const oneTill = other?.tillNumber === payment.tillNumber;
    if (other && oneTill && other.id !== payment.id && other.state === 'needs_review' && money) {
      world.met('two people give one reference to two payments');
      this.decide(other.id, operation.other ?? '', money, 'Ben');
    }
  }

  private decide(id: string, key: string, money: Money | null, by: string, wrongly = false): void {
    const { world } = this;
    const chance = world.chanceOf(world.nthOf(`decide ${key}`));
    const replica = world.someReplica(chance);
    if (!replica) return;
    const isThere = money?.reversedAt === null || wrongly;
    // Some customers get their money back by other means. Money that is not known to be theirs is not given back.
    const isKnown = world.observer.ofKey(key)?.transaction?.reference === money?.reference;
    const paid = isKnown && chance.happens(PAID_BACK) ? 'failed' : 'succeeded';
    const state = !money ? 'failed' : isThere ? paid : 'reversed';
    this.decided.add(id);
    world.scheduler.park(replica, `PERSON ${by} resolves ${key} as ${state}`, () => {
      const word = { by, note: 'looked it up', ...(money && { reference: money.reference }) };
      replica.payments.resolve(id, { state, ...word }).then(
        () => world.met('a person decided'),
        () => world.met('a decision was refused'),
      );
    });
  }

  private read(operation: Operation & { kind: 'read' }): void {
    const { world } = this;
    const { key } = operation;
    const payment = world.observer.ofKey(key);
    const replica = world.someReplica(world.chanceOf(operation.id));
    if (!payment || !replica) return;
    const before = this.reads.get(key);
    const look = (found: { state: string; updatedAt: Date } | null): void => {
      if (!found) {
        world.violate('linear', `payment ${key} was there and cannot be found`);
        return;
      }
      const at = found.updatedAt.getTime();
      if (before && at < before.at)
        world.violate('linear', `payment ${key} was ${before.state} and then ${found.state}`);
      if (at >= (this.reads.get(key)?.at ?? 0)) this.reads.set(key, { at, state: found.state });
    };
    world.scheduler.park(replica, `HOST reads ${key} (${operation.how})`, () => {
      const { payments } = replica;
      if (operation.how === 'transaction') {
        this.findTransaction(replica);
        return;
      }
      const reading =
        operation.how === 'find'
          ? payments.find(payment.id)
          : payments.settled(payment.id, { timeoutMs: 3_000 });
      reading.then(look, () => undefined);
    });
    if (operation.how === 'find') {
      world.scheduler.after(700, null, `HOST reads ${key} again`, () =>
        this.read({ ...operation, how: 'settled' }),
      );
    }
  }

  /** Money whose event was emitted can be found, as it was emitted. */
  private findTransaction(replica: SimulatedReplica): void {
    const { world } = this;
    const { checker, platform } = world;
    for (const money of platform.moneys) {
      if (!checker.eventIds.has(`till.transaction.received ${money.id}`)) continue;
      const tillNumber = checker.tillsEmitted.get(money.id) ?? '';
      world.met('findTransaction');
      replica.payments.findTransaction({ reference: money.reference, tillNumber }).then(
        (found) => {
          if (found && Number(found.amount) === Number(money.amount)) return;
          world.violate(
            'linear',
            `${money.reference} was emitted and findTransaction gives ${found?.amount}`,
          );
        },
        () => undefined,
      );
    }
  }

  private restartAll(name: string, what: 'aliases' | 'keys' | 'tills' | 'same'): void {
    const { world } = this;
    const chance = world.chanceOf(name);
    if (what === 'aliases') {
      const { aliases } = world.plan.settings;
      if (aliases === 'added') world.change({ aliases: ALIASES });
      if (aliases === 'removed') world.change({ aliases: {} });
      world.met('restart with other aliases');
    }
    if (what === 'keys') {
      const verification = chance.pick(['signature', 'both', 'url', 'url'] as const);
      world.change({ verification });
      world.met('restart with other keys');
    }
    if (what === 'tills') {
      const { tills } = world.plan.settings;
      if (tills === 'widened') world.change({ tills: [] });
      if (tills === 'narrowed') world.change({ tills: OWN_TILLS });
      if (tills === 'widened' || tills === 'narrowed') world.met('restart with other tills');
    }
    let inMs = 0;
    const isGraceful = chance.happens(0.6);
    for (const replica of world.living()) {
      world.scheduler.after(inMs, null, `deploy in place ${replica.slot}`, () => {
        const downMs = chance.duration(10, 5_000);
        if (isGraceful) world.shutDown(replica, downMs);
        else world.crash(replica, downMs);
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

  /** Some parts of a host know its till by its other number; one key always has the same. */
  private formOf(key: string): 0 | 1 {
    const { world } = this;
    const areJoined = world.plan.settings.aliases === 'always';
    return areJoined && world.chanceOf(`till of ${key}`).happens(OTHER_NUMBER) ? 1 : 0;
  }

  private whenLost(replica: SimulatedReplica, next: () => void): void {
    const waiting = this.onLost.get(replica) ?? [];
    waiting.push(next);
    this.onLost.set(replica, waiting);
  }
}
