import type { RequestPayment } from '../../libs/payments/src/operations/payments/payment.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { Operation } from './history.plan.js';
import { HostCalls, MAX_ASKS, type Ask, type Call } from './host.calls.js';
import { HostMoneyOut } from './host.money-out.js';
import { HostPauses } from './host.pauses.js';
import type { SimulatedTransaction } from './host.transaction.js';
import {
  ALIASES,
  OWN_TILLS,
  PHONES,
  PRICES,
  TILLS,
  isPartly,
  restOf,
  type Money,
} from './platform.truth.js';
import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';

type Asked = Operation & { kind: 'request' | 'record' };

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
  readonly moneyOut: HostMoneyOut;
  readonly pauses: HostPauses;
  /** Ids of payments that a person tried to decide. */
  readonly decided = new Set<string>();
  private readonly asks = new Map<string, Asked>();
  private readonly asking: HostCalls;
  private readonly reads = new Map<string, Read>();

  constructor(private readonly simulation: Simulation) {
    this.asking = new HostCalls(simulation);
    this.moneyOut = new HostMoneyOut(simulation, this.asking);
    this.pauses = new HostPauses(simulation);
  }

  get calls(): readonly Call[] {
    return this.asking.all;
  }

  get transactions(): ReadonlyMap<string, SimulatedTransaction> {
    return this.asking.transactions;
  }

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
  subscribe(replica: ReplicaAccount): void {
    const { settings } = this.simulation.plan;
    if (settings.webhooks) this.simulation.platform.webhookUrl = replica.webhooks.webhookUrl();
  }

  lost(replica: ReplicaAccount): void {
    this.asking.lost(replica);
  }

  /** Rolls back the transactions that are still open. */
  endTransactions(): void {
    this.asking.endTransactions();
  }

  private run(operation: Operation): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    switch (operation.kind) {
      case 'request':
        this.asking.request(this.askOf(operation), operation.key, 1);
        break;
      case 'repeat': {
        const ask = this.asks.get(operation.key);
        if (ask) this.asking.request(this.askOf(ask), operation.key, MAX_ASKS);
        break;
      }
      case 'record':
        this.asking.record(
          operation.id,
          this.askOf(operation),
          operation.key,
          operation.end,
          operation.openMs,
        );
        break;
      case 'bare':
        this.bare(operation);
        break;
      case 'lists outage':
        simulation.listsAwayUntil = scheduler.now + operation.lastsMs;
        simulation.reached('outage of polling');
        break;
      case 'walk in':
        simulation.platform.tills.walkIn(
          operation.id,
          PHONES[operation.customer] as string,
          `${Number(PRICES[operation.price])}.0`,
          operation.till,
        );
        break;
      case 'crash': {
        const { replicas, plan } = simulation.processes;
        const replica = replicas[operation.replica % plan.replicas];
        if (replica) simulation.processes.crash(replica, operation.downMs);
        break;
      }
      case 'restart all':
        this.restartAll(operation.id, operation.what);
        break;
      case 'store outage':
        simulation.processes.storeAwayUntil = scheduler.now + operation.lastsMs;
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
      case 'pause':
        this.pauses.pause(operation);
        break;
      case 'rotate':
        this.simulation.rotate(operation.id, operation.withinMs);
        break;
      case 'payout':
      case 'approve':
      case 'decline':
      case 'refund':
      case 'link':
      case 'cancel link':
      case 'ask again':
      case 'settle':
        this.moneyOut.run(operation);
        break;
    }
  }

  private askOf(asked: Asked): Ask {
    return {
      kind: 'payment',
      afterError: asked.kind === 'request' ? asked.afterError : 'same key',
      request: ({ payments }, key) => payments.request(this.input(asked, key)),
      record: ({ payments }, key, transaction) =>
        payments.record(this.input(asked, key), { transaction }),
    };
  }

  /** The host sends a bare request: no payment is recorded, and no payment may get its money. */
  private bare(operation: Operation & { kind: 'bare' }): void {
    const { simulation } = this;
    const { key, id } = operation;
    const replica = simulation.someReplica(simulation.chanceOf(id));
    if (!replica) return;
    const {
      besides: _besides,
      idempotencyKey: _key,
      ...dto
    } = this.input({ ...operation, order: null, passes: false }, key);
    const run = (): Promise<unknown> =>
      replica.bare.create(dto).then(
        () => simulation.reached('bare request created'),
        () => simulation.reached('bare request with an error'),
      );
    this.asking.make(key, replica, 'sends the bare request', run);
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
    const isKept = money && isPartly(money) && restOf(money) > 0;
    const isConfirmed = money?.reversedAt === null || isKept || wrongly;
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
  private findTransaction(replica: ReplicaAccount): void {
    const { simulation } = this;
    const { checker, platform } = simulation;
    for (const money of platform.moneys) {
      if (!checker.eventIds.has(`till.transaction.received ${money.id}`)) continue;
      const tillNumber = checker.tillsEmitted.get(money.id) ?? '';
      simulation.reached('findTransaction');
      replica.payments.findTransaction({ reference: money.reference, tillNumber }).then(
        (found) => {
          if (found && checker.reports.mayNameAmount(money, found.amount, false)) return;
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
        if (isGraceful) simulation.processes.shutDown(replica.process, downMs);
        else simulation.processes.crash(replica.process, downMs);
      });
      inMs += chance.duration(10, 30_000);
    }
  }

  private input(
    ask: Pick<Asked, 'till' | 'customer' | 'price' | 'order' | 'passes'>,
    key: string,
  ): RequestPayment {
    const { simulation } = this;
    const phoneNumber = PHONES[ask.customer] as string;
    const value = PRICES[ask.price] as string;
    const isInTheWay = (other: OperationRecord): boolean =>
      'subscriber' in other &&
      (other.order !== null && other.order === ask.order
        ? true
        : other.subscriber.phoneNumber === phoneNumber && other.amount.value === value);
    return {
      idempotencyKey: key,
      tillNumber: TILLS[ask.till]?.forms[this.formOf(key)] as string,
      subscriber: {
        firstName: 'Jane',
        lastName: simulation.mark,
        phoneNumber,
      },
      amount: { currency: 'KES', value },
      metadata: { order: key, mark: simulation.mark },
      ...(ask.order !== null && { order: ask.order }),
      besides: ask.passes ? this.asking.known(isInTheWay) : [],
    };
  }

  /** Some requests use the other number of the till. Repeats of a key use the same number. */
  private formOf(key: string): 0 | 1 {
    const { simulation } = this;
    const areJoined = simulation.plan.settings.aliases === 'always';
    return areJoined && simulation.chanceOf(`till of ${key}`).happens(OTHER_NUMBER) ? 1 : 0;
  }
}
