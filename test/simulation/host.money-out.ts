import type { RequestPaymentLink } from '../../libs/payments/src/operations/payment-links/payment-link.js';
import type { RequestPayout } from '../../libs/payments/src/operations/payouts/payout.js';
import type { RequestRefund } from '../../libs/payments/src/operations/refunds/refund.js';
import type { SendMoneyDestination } from '../../libs/payments/src/platform/resources/create-send-money.dto.js';
import type { Operation } from './history.plan.js';
import { MAX_ASKS, type Ask, type HostCalls } from './host.calls.js';
import { HostReviews } from './host.reviews.js';
import type { MoneyOutOperation } from './money-out.plan.js';
import { PHONES, PRICES, TILLS, type Money } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

const network = 'Safaricom';
const description = 'wages';

/** Hosts pay these recipients. Some differ in their account only, and some in their amount only. */
export const RECIPIENTS: readonly SendMoneyDestination[] = [
  { type: 'mobile_wallet', phoneNumber: PHONES[0], network, amount: '100', description },
  { type: 'mobile_wallet', phoneNumber: PHONES[1], network, amount: '100', description },
  { type: 'mobile_wallet', phoneNumber: PHONES[0], network, amount: '250', description },
  { type: 'till', tillNumber: '000124', amount: '100', description },
  {
    type: 'bank_account',
    bankBranchRef: 'branch',
    accountName: 'Flour Ltd',
    accountNumber: '1',
    amount: '100',
    description,
  },
  {
    type: 'paybill',
    paybillNumber: '1',
    paybillAccountNumber: '2',
    amount: '250',
    description,
  },
];

type Of<Kind extends MoneyOutOperation['kind']> = Operation & { kind: Kind };

/** A host looks this many times for money to refund, and for a link that can be cancelled. */
const MAX_LOOKS = 4;
const LOOKS_EVERY_MS = 5 * 60_000;

/** Hosts that pay out, refund, and make links. */
export class HostMoneyOut {
  /** The people who tried to approve a payout, by idempotency key. */
  readonly approvers = new Map<string, Set<string>>();
  /** The people who asked for a payout, by idempotency key. */
  readonly askers = new Map<string, string>();
  readonly reviews: HostReviews;
  private readonly asks = new Map<string, Ask>();

  constructor(
    private readonly simulation: Simulation,
    private readonly calls: HostCalls,
  ) {
    this.reviews = new HostReviews(simulation);
  }

  run(operation: Of<MoneyOutOperation['kind']>): void {
    switch (operation.kind) {
      case 'payout':
        this.ask(operation, this.payout(operation));
        break;
      case 'link':
        this.ask(operation, this.link(operation));
        break;
      case 'refund':
        this.refund(operation, MAX_LOOKS);
        break;
      case 'approve':
        this.approve(operation);
        break;
      case 'decline':
        this.decline(operation);
        break;
      case 'cancel link':
        this.cancel(operation, MAX_LOOKS);
        break;
      case 'ask again': {
        const ask = this.asks.get(operation.key);
        if (ask) this.calls.request(ask, operation.key, MAX_ASKS);
        break;
      }
      case 'settle':
        this.reviews.settle(operation.key);
        break;
    }
  }

  private ask({ id, key, how, openMs }: Of<'payout' | 'link' | 'refund'>, ask: Ask): void {
    this.asks.set(key, ask);
    if (how === 'request') this.calls.request(ask, key, 1);
    else this.calls.record(id, ask, key, how, openMs);
  }

  private payout({ destinations, passes, by, afterError }: Of<'payout'>): Ask {
    const input = (key: string): RequestPayout => {
      this.askers.set(key, by);
      return {
        idempotencyKey: key,
        currency: 'KES',
        destinations: destinations.map(
          (index) => RECIPIENTS[index] as SendMoneyDestination,
        ) as unknown as RequestPayout['destinations'],
        metadata: { order: key, mark: this.simulation.mark },
        requestedBy: by,
        besides: passes ? this.calls.known(({ kind }) => kind === 'payout') : [],
      };
    };
    return {
      kind: 'payout',
      afterError,
      request: ({ payouts }, key) => payouts.request(input(key)),
      record: ({ payouts }, key, transaction) => payouts.record(input(key), { transaction }),
    };
  }

  private link({ price, till, order, afterError }: Of<'link'>): Ask {
    const input = (key: string): RequestPaymentLink => ({
      idempotencyKey: key,
      tillNumber: TILLS[till]?.forms[0] as string,
      amount: { currency: 'KES', value: PRICES[price] as string },
      metadata: { order: key, mark: this.simulation.mark },
      ...(order !== null && { order }),
    });
    return {
      kind: 'payment_link',
      afterError,
      request: ({ links }, key) => links.request(input(key)),
      record: ({ links }, key, transaction) => links.record(input(key), { transaction }),
    };
  }

  /** Refunds money that was reported. When there is none yet, the host looks again later. */
  private refund(operation: Of<'refund'>, looks: number): void {
    const { simulation } = this;
    const target = this.refundable(operation);
    if (!target && looks > 0) {
      simulation.scheduler.after(LOOKS_EVERY_MS, null, `HOST looks for ${operation.key}`, () =>
        this.refund(operation, looks - 1),
      );
      return;
    }
    if (!target) return;
    this.noteAsked(operation.key, target);
    const ask: Ask = {
      kind: 'refund',
      afterError: operation.afterError,
      request: ({ refunds }, key) => refunds.request({ ...target, ...this.why(key) }),
      record: ({ refunds }, key, transaction) =>
        refunds.record({ ...target, ...this.why(key) }, { transaction }),
    };
    this.ask(operation, ask);
    if (!operation.twice) return;
    simulation.reached('one transaction refunded under two keys at once');
    this.calls.request({ ...ask, afterError: 'nothing' }, `${operation.key}-twin`, 1);
  }

  private noteAsked(key: string, target: { paymentId: string } | { reference: string }): void {
    const { observer, platform, checker } = this.simulation;
    const reference =
      'reference' in target
        ? target.reference
        : observer.operations.get(target.paymentId)?.record?.transaction?.reference;
    const money = platform.moneys.find((each) => each.reference === reference);
    if (money) checker.reports.refundAsked(key, money);
  }

  private why(key: string): Pick<RequestRefund, 'idempotencyKey' | 'why' | 'metadata'> {
    const { mark } = this.simulation;
    return { idempotencyKey: key, why: `out of stock ${mark}`, metadata: { order: key, mark } };
  }

  private refundable({
    of,
    names,
  }: Of<'refund'>): { paymentId: string } | { reference: string; tillNumber: string } | null {
    const { observer, platform, checker } = this.simulation;
    const paid = of === null ? null : observer.operationOf(of);
    if (paid?.state === 'succeeded' && names === 'payment') return { paymentId: paid.id };
    const isIts = ({ request, link }: Money): boolean =>
      of === null || request?.key === of || link?.key === of;
    const money = platform.moneys.find(
      (each) => isIts(each) && checker.tillsEmitted.has(each.id) && !this.isShared(each),
    );
    if (!money) return null;
    return { reference: money.reference, tillNumber: checker.tillsEmitted.get(money.id) ?? '' };
  }

  /** True when the platform would not know which of two transactions to reverse. */
  private isShared(money: Money): boolean {
    return this.simulation.platform.moneys.some(
      (other) => other !== money && other.reference === money.reference,
    );
  }

  private approve({ id, key, by, twice }: Of<'approve'>): void {
    const { simulation } = this;
    const payout = simulation.observer.operationOf(key);
    if (!payout) return;
    const approve = (n: number, person: string): void => {
      const replica = simulation.someReplica(simulation.chanceOf(`${id} ${n}`));
      if (!replica) return;
      this.approvers.set(key, (this.approvers.get(key) ?? new Set()).add(person));
      const run = (): Promise<unknown> => replica.payouts.approve(payout.id, { by: person });
      const failed = (error: unknown): void => {
        if ((error as { outcome?: unknown }).outcome === 'unknown')
          simulation.reached('approval of unknown outcome');
      };
      this.calls.make(key, replica, `approves as ${person}`, run, { failed });
    };
    approve(0, by);
    if (!twice) return;
    simulation.reached('two people approve at once');
    approve(1, by === 'Ann' ? 'Ben' : 'Ann');
  }

  private decline({ id, key, by }: Of<'decline'>): void {
    const { simulation } = this;
    const payout = simulation.observer.operationOf(key);
    const replica = simulation.someReplica(simulation.chanceOf(id));
    if (!payout || !replica) return;
    simulation.scheduler.park(replica, `HOST declines ${key} as ${by}`, () => {
      replica.payouts.decline(payout.id, { by, note: 'too much' }).then(
        () => simulation.reached('payout declined'),
        () => simulation.reached('decline refused'),
      );
    });
  }

  private cancel(operation: Of<'cancel link'>, looks: number): void {
    const { simulation } = this;
    const { id, key, twice } = operation;
    const link = simulation.observer.operationOf(key);
    if (link?.state !== 'pending') {
      if (looks === 0) return;
      simulation.scheduler.after(LOOKS_EVERY_MS, null, `HOST looks at ${key}`, () =>
        this.cancel(operation, looks - 1),
      );
      return;
    }
    for (let n = 0; n < (twice ? 2 : 1); n += 1) {
      const replica = simulation.someReplica(simulation.chanceOf(`${id} ${n}`));
      if (!replica) return;
      simulation.scheduler.park(replica, `HOST cancels ${key} at ${replica.name}`, () => {
        replica.links.cancel(link.id).then(
          ({ state }) => simulation.reached(`link is ${state} after its cancelling`),
          () => simulation.reached('cancelling a link ended in an error'),
        );
      });
    }
  }
}
