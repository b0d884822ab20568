import { DEFAULT_ACCOUNT } from '../payments-defaults.js';
import { classOf, methodOf, type RegisteredListener } from '../store/events.store.js';
import type { Listener } from './listeners-explorer.js';

/**
 * A new listener that resembles one which the store knows and this application does not have.
 * - `built`: the names differ only as bundlers make names differ, so it is the same listener
 * - `renamed`: another class has its method and event, and it was of this application
 * - `doubtful`: the same, and it may be of another application on the same store
 */
export interface Suspect {
  kind: 'built' | 'renamed' | 'doubtful';
  own: Listener;
  old: RegisteredListener;
}

/**
 * Finds ids that a build, or a person, has changed. A listener that the store knows is no suspect: who has started once always starts again. Nor is
 * one whose id a person has written.
 * @param own the listeners of an account in this process
 * @param all the ids of all listeners in this process
 * @param known the listeners of the account in the store
 */
export function suspectsOf(
  own: readonly Listener[],
  all: ReadonlySet<string>,
  known: readonly RegisteredListener[],
): Suspect[] {
  const knownIds = new Set(known.map(({ listener }) => listener));
  const lost = known.filter(({ listener }) => !all.has(listener));
  if (lost.length === 0) return [];
  const starts = new Set(known.filter((one) => all.has(one.listener)).map(({ start }) => start));
  const kindOf = ({ start }: RegisteredListener): Suspect['kind'] | null => {
    if (starts.size === 0) return 'doubtful';
    // Otherwise it was registered by another application, or it has left this one long ago.
    return starts.has(start) ? 'renamed' : null;
  };
  const suspects = own
    .filter(({ id, isNamedByCode }) => isNamedByCode === true && !knownIds.has(id))
    .flatMap((listener): Suspect[] => {
      const same = lost.find((old) => isSameName(listener.id, old.listener));
      if (same) return [{ kind: 'built', own: listener, old: same }];
      return lost
        .filter((old) => hasSamePlace(listener, old))
        .flatMap((old) => {
          const kind = kindOf(old);
          return kind === null ? [] : [{ kind, own: listener, old }];
        })
        .slice(0, 1);
    });
  return [...new Map(suspects.map((suspect) => [suspect.own.id, suspect])).values()];
}

/** True when two ids differ only by what bundlers add to a name that is there twice: `Orders2`, `_Orders`, `Orders_1`, `Orders$1`. */
function isSameName(one: string, other: string): boolean {
  return (
    methodOf(one) === methodOf(other) && bare(classOf(one) ?? '') === bare(classOf(other) ?? '')
  );
}

function bare(className: string): string {
  return className.replace(/[_$]/g, '').replace(/\d+$/, '');
}

function hasSamePlace(
  { id, event }: Listener,
  { listener, event: other }: RegisteredListener,
): boolean {
  return event === other && methodOf(id) === methodOf(listener);
}

/**
 * Says what is wrong with a suspect, and the cures.
 * @param accounts those whose events the old listener receives
 */
export function suspectText({ kind, own, old }: Suspect, accounts: readonly string[]): string {
  const { listener: id } = old;
  const [only = DEFAULT_ACCOUNT, ...more] = accounts;
  const where = more.length > 0 ? ' --all' : only === DEFAULT_ACCOUNT ? '' : ` --account ${only}`;
  return (
    `the listener ${own.id} of ${own.event} is new, and ${id}, which the store knows, is not in this application: ${CAUSES[kind]}. ` +
    `Then nobody makes the calls that wait for ${id}, and while another process still has it, both handle each event. If it is the same ` +
    `listener, keep its id: @OnPaymentEvent('${own.event}', { id: '${id}' }). If ${id} is gone for good, delete it: npx @tillkit/cli ` +
    `listeners delete ${id}${where}. If another application has it${kind === 'doubtful' ? ', let that one run, or' : ','} write the id of the new one: { id: '${own.id}' }`
  );
}

const CAUSES: Readonly<Record<Suspect['kind'], string>> = {
  built: 'a bundler or a minifier seems to have renamed its class',
  renamed:
    'it has the same method and event, and was last registered by this application, so its class seems to have another name now',
  doubtful: 'it has the same method and event, so its class may have another name now',
};
