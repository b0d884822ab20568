import { Injectable } from '@nestjs/common';
import { EventsService } from '@tillkit/payments';
import type { ReplayedLetter } from '@tillkit/payments/types';
import { serviceOf } from '../operations/operation-kinds.js';
import { Subjects } from '../subjects/subjects.query.js';
import { redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { isSearchable } from '../web/list.dto.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** When more letters are replayed at once, only the log names them. Writing their histories would delay the answer. */
const MOST_NOTED = 100;

/** Replays dead letters for operators. */
@Injectable()
export class ReplaysService {
  constructor(private readonly audit: AuditLogService) {}

  /** Replays one dead letter, or all of them. */
  async replay(visit: Visit): Promise<Answer> {
    const id = visit.field('id');
    if (id === undefined && visit.field('which') !== 'all') {
      throw new PageError(400, WORDS.errors.deadLetter);
    }
    const replayed =
      id === undefined || isSearchable(id)
        ? await visit.account.get(EventsService).replayDeadLetters(id)
        : [];
    if (replayed.length === 0)
      return redirect(visit.link('dead-letters', { notice: 'no-dead-letter' }));
    await this.note(visit, replayed);
    const notice = id === undefined ? 'dead-letters-replayed' : 'dead-letter-replayed';
    return redirect(visit.link('dead-letters', { notice }));
  }

  /** Records who asked for the replay, because a listener may repeat an effect. */
  private async note(visit: Visit, replayed: readonly ReplayedLetter[]): Promise<void> {
    const ids = replayed.slice(0, MOST_NOTED).map((letter) => letter.id);
    const more = replayed.length > ids.length ? ', ...' : '';
    this.audit.changed(
      visit,
      `replayed dead letters: ${replayed.length} (${ids.join(', ')}${more})`,
    );
    if (replayed.length > MOST_NOTED) return;
    const { account, operator: by } = visit;
    const streams = replayed.map(({ stream }) => stream);
    const subjects = await Subjects.ofStreams(account, streams);
    for (const { listener, event, stream } of replayed) {
      const operation = subjects.operation(stream);
      const note = `replayed ${listener} for ${event}`;
      if (operation) await serviceOf(account, operation).note(operation.id, { by, note });
    }
  }
}
