import { decisionNote } from '@tillkit/payments/internal/routes';
import type { Visit } from '../web/visit.dto.js';

/** Whether the operator has made this decision on an operation: the second click of a double click asks for what is done. */
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
