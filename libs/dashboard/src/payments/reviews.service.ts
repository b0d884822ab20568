import { Injectable } from '@nestjs/common';
import {
  OperationNotFoundError,
  OperationNotResolvableError,
  type Resolution,
} from '@tillkit/payments';
import { redirect, type Answer } from '../web/answer.dto.js';
import { PageError, notFound } from '../web/page.errors.js';
import { isSearchable, isId } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Words } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';

/** Records a person's decision on a payment in review. */
@Injectable()
export class ReviewsService {
  constructor(private readonly audit: AuditLogService) {}

  async resolve(visit: Visit, id: string): Promise<Answer> {
    if (!isId(id)) throw notFound('payment');
    const state = visit.field('state');
    const note = visit.field('note');
    const reference = visit.field('reference');
    if (!isDecision(state) || !note) {
      throw refused(({ errors }) => errors.decision.incomplete);
    }
    if (![note, reference ?? ''].every(isSearchable)) {
      throw refused(({ errors }) => errors.decision.text);
    }
    try {
      await visit.account.payments.resolve(id, {
        state,
        by: visit.operator,
        note,
        ...(reference && { reference }),
      });
    } catch (error) {
      if (error instanceof OperationNotFoundError) throw notFound('payment');
      if (error instanceof OperationNotResolvableError) throw refused(() => error.message);
      throw error;
    }
    this.audit.changed(visit, `resolved payment ${id} as ${state}`);
    return redirect(visit.link(`payments/${encodeURIComponent(id)}`, { notice: 'resolved' }));
  }
}

function isDecision(state: string | undefined): state is Resolution['state'] {
  return state === 'succeeded' || state === 'failed' || state === 'reversed';
}

function refused(textIn: (words: Words) => string): PageError {
  return new PageError(409, (words) => ({
    title: words.errors.decision.title,
    text: textIn(words),
  }));
}
