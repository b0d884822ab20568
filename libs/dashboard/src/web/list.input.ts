import { DashboardProblem } from './dashboard.problem.js';

const MAX_LENGTH = 500;

/** Whether a store can be asked for this at all. */
export function isAskable(value: string): boolean {
  return value.length <= MAX_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(value);
}

/**
 * Where a page of a list begins.
 * @throws DashboardProblem 400 for what no page of ours has ever linked to
 */
export function readCursor(after: string | undefined): { after?: string } {
  if (after === undefined) return {};
  if (isAskable(after)) return { after };
  throw new DashboardProblem(
    400,
    'There is no such page of the list',
    'The address is damaged. Begin with the first page of the list.',
  );
}

const ID = /^[\w:.-]{1,200}$/;

/** Whether this can be an id at all; what cannot is asked of no store. */
export function isId(value: string): boolean {
  return ID.test(value);
}
