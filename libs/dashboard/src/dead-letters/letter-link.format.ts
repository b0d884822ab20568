import type { Visit } from '../web/visit.dto.js';

/** The `id` of the row of a dead letter. The id of a call may have the name of a listener in it, with any character. */
export function letterAnchor(callId: string): string {
  return `letter-${callId.replace(/\s/g, '_')}`;
}

/** The way to the button that replays a dead letter, among those of its listener. */
export function letterLink(
  visit: Visit,
  { id, listener }: { id: string; listener: string },
): string {
  return `${visit.link('dead-letters', { listener })}#${encodeURIComponent(letterAnchor(id))}`;
}
