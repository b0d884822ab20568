import type { MessageEvent } from '@nestjs/common';
import {
  concatMap,
  distinctUntilKeyChanged,
  map,
  ReplaySubject,
  share,
  timer,
  type Observable,
} from 'rxjs';
import { sectionEvent, type LiveSection } from './live-section.js';

const POLL_INTERVAL_MS = 1_000;

/**
 * Emits a section after each change of its data. It polls, because another process of the shop may make the change. It polls once for all
 * viewers, and not at all when there are none.
 */
export function polledSection<T>(
  latest: () => Promise<T>,
  section: (shown: T) => LiveSection,
): Observable<MessageEvent> {
  return timer(0, POLL_INTERVAL_MS).pipe(
    concatMap(latest),
    map((shown) => ({ shown, json: JSON.stringify(shown) })),
    distinctUntilKeyChanged('json'),
    map(({ shown }) => sectionEvent(section(shown))),
    share({ connector: () => new ReplaySubject(1) }),
  );
}
