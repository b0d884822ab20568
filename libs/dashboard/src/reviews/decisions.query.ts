import { decisionNote } from '@tillkit/payments/internal/routes';
import type { Visit } from '../web/visit.dto.js';

/** True when the operator has already made this decision on an operation. Then the second click of a double click succeeds too. */
export async function isDecided(
  { account, operator }: Visit,
  id: string,
  what: string,
  note: string,
): Promise<boolean> {
  const line = decisionNote(what, { by: operator, note });
  const history = await account.store.operations.history(account.name, id);
  return history.some(({ via, detail }) => via === 'review' && detail === line);
}
