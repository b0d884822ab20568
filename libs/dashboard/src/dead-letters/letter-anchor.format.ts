/** The `id` of the row of a dead letter. The id of a call may have the name of a listener in it, with any character. */
export function letterAnchor(callId: string): string {
  return `letter-${callId.replace(/\s/g, '_')}`;
}
