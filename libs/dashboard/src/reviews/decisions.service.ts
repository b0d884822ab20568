import { Injectable } from '@nestjs/common';
import { OperationNotResolvableError, type PaymentsAccount } from '@tillkit/payments';
import type { PayoutResolution, RefundResolution, Resolution } from '@tillkit/payments/types';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import { readForm } from '../actions/form.fragment.js';
import { redirect, type Answer } from '../web/answer.dto.js';
import { PageError } from '../web/page.errors.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { isDecided } from './decisions.query.js';
import { named } from '../operations/operation-actions.service.js';
import { OUTCOMES, REVIEW_FIELDS } from './review-form.fragment.js';
import { operationOf, pathOf, type OperationKindName } from '../operations/operation-kinds.js';

/** The decision of a form. Its outcome must be one that the kind of operation allows. */
interface Decision extends Pick<Resolution, 'by' | 'note' | 'reference'> {
  state: string;
  /** Indexes of the destinations of a payout that were paid. */
  paid: readonly number[];
}

/** Records a person's decision on one operation. */
@Injectable()
export class DecisionsService {
  constructor(private readonly audit: AuditLogService) {}

  async resolve(visit: Visit, id: string): Promise<Answer> {
    const operation = await operationOf(visit, id);
    const state = visit.field('state');
    const { values, isUsable } = readForm(REVIEW_FIELDS, visit.form);
    const { note = '', reference } = values;
    const outcomes: readonly string[] = OUTCOMES[operation.kind as OperationKindName];
    if (state === undefined || !outcomes.includes(state) || note === '')
      throw refused('Choose an outcome and write a reason. The timeline shows both.');
    if (!isUsable)
      throw refused('The reason or the reference is too long or contains control characters.');
    const paid = visit.form.getAll('paid').map(Number);
    const decision = { state, by: visit.operator, note, paid, ...(reference && { reference }) };
    try {
      await decide(visit.account, operation, decision);
    } catch (error) {
      if (!(error instanceof OperationNotResolvableError)) throw error;
      if (!(await isDecided(visit, id, `resolved as ${state}`, note))) throw refused(error.message);
      return resolved(visit, operation);
    }
    this.audit.changed(visit, `resolved ${named(operation)} as ${state}`);
    return resolved(visit, operation);
  }
}

function resolved(visit: Visit, operation: OperationRecord): Answer {
  return redirect(visit.link(pathOf(operation), { notice: 'resolved' }));
}

async function decide(
  { payments, paymentLinks, payouts, refunds }: PaymentsAccount,
  { id, kind }: OperationRecord,
  decision: Decision,
): Promise<unknown> {
  switch (kind as OperationKindName) {
    case 'payment':
      return payments.resolve(id, decision as Resolution);
    case 'payment_link':
      return paymentLinks.resolve(id, decision as Resolution);
    case 'refund':
      return refunds.resolve(id, decision as RefundResolution);
    case 'payout':
      return payouts.resolve(id, decision as PayoutResolution);
  }
}

function refused(text: string): PageError {
  return new PageError(409, { title: 'The decision was not saved', text });
}
