import type { Visit } from '../web/visit.dto.js';

/** Returns the `id` of the row of a dead letter. The id of a call may contain the name of a listener, with any character. */
export function letterAnchor(callId: string): string {
  return `letter-${callId.replace(/\s/g, '_')}`;
}

/** Returns the link to the button that replays a dead letter, in the list of its listener. */
export function letterLink(
  visit: Visit,
  { id, listener }: { id: string; listener: string },
): string {
  return `${visit.link('dead-letters', { listener })}#${encodeURIComponent(letterAnchor(id))}`;
}
