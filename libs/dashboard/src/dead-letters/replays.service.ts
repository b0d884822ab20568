import { Injectable } from '@nestjs/common';
import { EventsService } from '@tillkit/payments';
import { redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { isSearchable } from '../web/list.dto.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';

/** Replays dead letters for operators. */
@Injectable()
export class ReplaysService {
  constructor(private readonly audit: AuditLogService) {}

  /** Replays one dead letter, or all of them. */
  async replay(visit: Visit): Promise<Answer> {
    const id = visit.field('id');
    if (id === undefined && visit.field('which') !== 'all') {
      throw new PageError(400, ({ errors }) => errors.deadLetter);
    }
    const count =
      id === undefined || isSearchable(id)
        ? await visit.account.get(EventsService).replayDeadLetters(id)
        : 0;
    if (count > 0) this.audit.changed(visit, `replayed dead letters: ${count}`);
    const all = id === undefined ? 'dead-letters-replayed' : 'dead-letter-replayed';
    return redirect(visit.link('dead-letters', { notice: count > 0 ? all : 'no-dead-letter' }));
  }
}
