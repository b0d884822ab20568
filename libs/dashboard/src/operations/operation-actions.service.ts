import { Injectable } from '@nestjs/common';
import {
  CircuitOpenError,
  PlatformError,
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '@tillkit/payments';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import { readForm } from '../actions/form.fragment.js';
import { redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { NOTE } from './operation-actions.fragment.js';
import { operationOf, pathOf, serviceOf } from './operation-kinds.js';
import { WORDS } from '../words/english.words.js';

/** A status read that waits longer than this for its turn goes on in the background. */
const READ_WITHIN_MS = 5_000;

/** The actions of a person on an operation of any kind. */
@Injectable()
export class OperationActionsService {
  constructor(private readonly audit: AuditLogService) {}

  async note(visit: Visit, id: string): Promise<Answer> {
    const operation = await operationOf(visit, id);
    const { values, isUsable } = readForm([NOTE], visit.form);
    if (!isUsable) throw new PageError(400, WORDS.errors.note);
    const { note = '' } = values;
    await serviceOf(visit.account, operation).note(id, { by: visit.operator, note });
    this.audit.changed(visit, `wrote a note on ${named(operation)}`);
    return back(visit, operation, 'noted');
  }

  /** Reads the status once. The read waits for its turn among the requests to the platform. */
  async readStatus(visit: Visit, id: string): Promise<Answer> {
    const operation = await operationOf(visit, id);
    if (operation.platformId === null) return back(visit, operation, 'status-no-id');
    const service = serviceOf(visit.account, operation);
    await service.note(id, { by: visit.operator, note: 'asked the platform for the status' });
    this.audit.changed(visit, `asked for the status of ${named(operation)}`);
    const read = service.check(id).then(
      ({ state }) => (state === operation.state ? 'status-same' : 'status-changed'),
      (error: unknown) => {
        if (isOfPlatform(error)) return 'status-unanswered';
        throw error;
      },
    );
    return back(visit, operation, await within(READ_WITHIN_MS, read, 'status-asked'));
  }
}

/** Names an operation in the audit log, which is in English. */
export function named({ kind, id }: Pick<OperationRecord, 'kind' | 'id'>): string {
  return `${kind.replace('_', ' ')} ${id}`;
}

function back(visit: Visit, operation: OperationRecord, notice: string): Answer {
  return redirect(visit.link(pathOf(operation), { notice }));
}

/** True for errors of the platform. The log says more about them. */
function isOfPlatform(error: unknown): boolean {
  return [PlatformError, PlatformTimeoutError, PlatformUnreachableError, CircuitOpenError].some(
    (type) => error instanceof type,
  );
}

async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  // When the work fails after our answer, nobody else handles its error.
  work.catch(() => undefined);
  return Promise.race([work, waited]).finally(() => clearTimeout(timer));
}
