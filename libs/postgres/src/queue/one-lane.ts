/** Returns one lane of the queue, in the form that `claim_due_work` reads. */
export function oneLane(lane: string, most: number): string {
  return JSON.stringify([{ most, lanes: [{ lane, most }] }]);
}
