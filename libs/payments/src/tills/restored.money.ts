import { Injectable } from '@nestjs/common';
import { PlatformClocks } from '../http/platform.clock.js';
import { LostMoney } from '../ledger/lost-money.js';
import type { Operation } from '../ledger/operation.js';
import { OperationsStore } from '../ledger/operations.store.js';
import { RestoresStore } from '../ledger/restores.store.js';
import { isPayment, type PaymentRecord } from '../operations/payments/payment.js';
import { nameOf } from '../transactions/transaction.sameness.js';
import { RESTORE } from '../runtime/backoff.js';
import { lostWindow } from './match-window.js';
import { PaymentMatcher } from './payment.matcher.js';

/** The newest payments of one customer that are in review, or that failed. */
const MOST_READ = 100;

/**
 * Money of the time that a restore has lost, and that no operation owns: its payer may have paid it for the request that is asked for again. Money
 * whose payer is unknown counts for a day only: it stops everybody who pays that amount.
 */
@Injectable()
export class RestoredMoney extends LostMoney {
  constructor(
    private readonly restores: RestoresStore,
    private readonly operations: OperationsStore,
    private readonly matcher: PaymentMatcher,
    private readonly clocks: PlatformClocks,
  ) {
    super();
  }

  async fitting(operation: Operation): Promise<string | null> {
    if (!isPayment(operation)) return null;
    const lost = await this.restores.find(operation.account);
    if (lost.length === 0) return null;
    const now = this.clocks.of(operation.account).now();
    const sums = await Promise.all(
      lost.map(async (time) =>
        (await this.matcher.untiedMoney(operation, lostWindow(time, now))).filter(
          ({ payerHash }) => payerHash !== null || time.toAgoMs <= RESTORE.stopsAnybodyMs,
        ),
      ),
    );
    const found = sums.flat().map(({ received }) => received && nameOf(received));
    if (found.length === 0) return null;
    const released = await this.released(operation);
    const stops = found.find((name) => name === null || !released(name));
    return stops === undefined ? null : detailOf(stops);
  }

  /**
   * What a person has said to be for something else must not stop the customer's next payment. While another payment is in review because of
   * it, it may be the money of that one. Money without a name cannot be recognised again.
   */
  private async released({
    account,
    subscriber: { phoneNumber },
  }: PaymentRecord): Promise<(name: string) => boolean> {
    const paymentsIn = async (state: 'failed' | 'needs_review', isDecided: boolean) => {
      const filter = { kind: 'payment', phoneNumber, states: [state] } as const;
      const { items } = await this.operations.list(account, filter, { limit: MOST_READ });
      return items.filter(({ decided }) => decided === isDecided);
    };
    const linesOf = async (payments: readonly Operation[]): Promise<string[]> => {
      const all = payments.map(({ id }) => this.operations.history(account, id));
      return (await Promise.all(all)).flat().map(({ detail }) => detail);
    };
    const decided = await linesOf(await paymentsIn('failed', true));
    const inReview = await paymentsIn('needs_review', false);
    const open = await linesOf(inReview);
    // What the platform listed after it went to review stands in no line of it.
    const fitting = await Promise.all(
      inReview.filter(isPayment).map((payment) => this.matcher.untiedMoney(payment)),
    );
    const owned = new Set(fitting.flat().map(({ received }) => received && nameOf(received)));
    // It fits several sums, or one without a name: any may be its money.
    const isAnyOwner = inReview.some(
      ({ cause, causeDetail }) => cause === 'ambiguous' && !isAboutMoney(causeDetail ?? ''),
    );
    const isNamed = (lines: readonly string[], name: string): boolean =>
      lines.some((line) => names(line, name));
    return (name) =>
      !isAnyOwner && isNamed(decided, name) && !isNamed(open, name) && !owned.has(name);
  }
}

/** Whether it is our own line about transactions that it names. That of a person begins with the decision. */
function isAboutMoney(line: string): boolean {
  return /^transactions? /.test(line);
}

function names(line: string, name: string): boolean {
  return isAboutMoney(line) && (line.includes(` ${name} `) || line.includes(` ${name},`));
}

function detailOf(name: string | null): string {
  return (
    `transaction ${name ?? 'without a reference'} of the time that a restore has lost fits this payment, so the customer may have paid it ` +
    'already: it was not sent'
  );
}
