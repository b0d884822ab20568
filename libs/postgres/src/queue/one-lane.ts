/** One lane of the queue, as `claim_due_work` reads what is wanted. */
export function oneLane(lane: string, most: number): string {
  return JSON.stringify([{ most, lanes: [{ lane, most }] }]);
}
