import { Injectable } from '@nestjs/common';
import {
  PaymentNotFoundError,
  PaymentNotResolvableError,
  type Resolution,
} from '@tillkit/payments';
import { DashboardAccount } from '../start/dashboard.account.js';
import { redirect, type Answer } from '../web/answer.js';
import { DashboardProblem, notFound } from '../web/dashboard.problem.js';
import { isAskable, isId } from '../web/list.input.js';
import { LookupsLog } from '../web/lookups.log.js';
import type { Visit } from '../web/visit.js';

/** Takes a person's word on a payment in review. */
@Injectable()
export class ReviewTaker {
  constructor(
    private readonly account: DashboardAccount,
    private readonly lookups: LookupsLog,
  ) {}

  async take(visit: Visit, id: string): Promise<Answer> {
    if (!isId(id)) throw notFound('payment');
    const state = visit.field('state');
    const note = visit.field('note');
    const reference = visit.field('reference');
    if (!isDecision(state) || !note) {
      throw refused('Say whether it was paid, and why: both stand in the timeline for ever.');
    }
    if (![note, reference ?? ''].every(isAskable)) {
      throw refused('The note or the reference is too long, or has characters that none has.');
    }
    try {
      await this.account.payments.resolve(id, {
        state,
        by: visit.operator,
        note,
        ...(reference && { reference }),
      });
    } catch (error) {
      if (error instanceof PaymentNotFoundError) throw notFound('payment');
      if (error instanceof PaymentNotResolvableError) throw refused(error.message);
      throw error;
    }
    this.lookups.changed(visit, `settled payment ${id} as ${state}`);
    return redirect(visit.link(`payments/${encodeURIComponent(id)}`, { notice: 'resolved' }));
  }
}

function isDecision(state: string | undefined): state is Resolution['state'] {
  return state === 'succeeded' || state === 'failed' || state === 'reversed';
}

function refused(text: string): DashboardProblem {
  return new DashboardProblem(409, 'Your word was not taken', text);
}
