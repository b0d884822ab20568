import type { Charge } from '@tillkit/simulator';
import type { Asked } from './campaign.hosts.js';
import type { CampaignEnvironment } from './campaign.environment.js';
import { checkMoneyOut } from './money-out.checker.js';
import { emptyResult, type PhaseResult } from './phase.result.js';

/** The events that listeners received: ids by event name and subject. */
export class ReceivedEvents {
  private readonly events = new Map<string, Set<string>>();

  add(name: string, subject: string, eventId: string): void {
    const key = `${name} ${subject}`;
    this.events.set(key, (this.events.get(key) ?? new Set()).add(eventId));
  }

  count(name: string, subject: string): number {
    return this.events.get(`${name} ${subject}`)?.size ?? 0;
  }
}

/** Compares what the platform charged with what listeners received. */
export async function check(environment: CampaignEnvironment): Promise<PhaseResult[]> {
  const received = new ReceivedEvents();
  const rows = await environment.database.rows<{ name: string; event_id: string; subject: string }>(
    'select distinct name, event_id, subject from received_event',
  );
  for (const { name, event_id, subject } of rows) received.add(name, subject, event_id);
  const operations = await environment.database.rows<{ id: string; kind: string; key: string }>(
    'select id, kind, idempotency_key as key from tillkit.operation',
  );
  const ids = new Map(operations.map(({ id, kind, key }) => [`${kind} ${key}`, id]));
  const charges = new Map<unknown, Charge[]>();
  for (const charge of environment.simulator.charges()) {
    const { key } = charge.metadata;
    charges.set(key, [...(charges.get(key) ?? []), charge]);
  }
  const results = new Map<string, PhaseResult>();
  for (const asked of environment.hosts.asked) {
    const result = results.get(asked.phase) ?? emptyResult(asked.phase);
    results.set(asked.phase, result);
    compare(asked, ids.get(`payment ${asked.key}`), charges.get(asked.key) ?? [], received, result);
  }
  return [...results.values(), ...checkMoneyOut(environment, ids, received)];
}

/** Adds one idempotency key to the result of its phase. */
function compare(
  { key, end, broken }: Asked,
  id: string | undefined,
  requests: readonly Charge[],
  events: ReceivedEvents,
  result: PhaseResult,
): void {
  const charged = requests.filter((request) => request.charged).length;
  const succeeded = events.count('payment.succeeded', id ?? '');
  const failed = events.count('payment.failed', id ?? '');
  const review = events.count('payment.needs_review', id ?? '');
  const reversed = events.count('payment.reversed', id ?? '');
  result.asked += 1;
  if (end !== 'answered') result.leftAlone += 1;
  result.charged += charged;
  result.succeeded += Math.min(1, succeeded);
  result.failed += Math.min(1, failed);
  result.review += Math.min(1, review);
  // A call that failed may have recorded nothing. Every recorded payment has an event, even if no host asks for it any more.
  const isRecorded = id !== undefined || end === 'answered';
  const lose = (what: string): void => {
    result.lost += 1;
    console.log(`lost: ${key}: ${what}`);
  };
  if (isRecorded && succeeded + failed + review === 0) lose('no event with its outcome');
  if (charged > 0 && succeeded + review === 0) lose('charged, but no event reports it');
  if (succeeded > 1 || failed > 1 || reversed > 1) result.doubleEvents += 1;
  if (charged > 1) result.doubleCharges += charged - 1;
  if (succeeded > 0 && charged === 0) result.contradictions += 1;
  if (succeeded > 0 && failed > 0) result.contradictions += 1;
  if (failed > 0 && charged > 0 && review === 0) result.contradictions += 1;
  // Nothing is sent for a host whose call threw or whose transaction was rolled back, unless the host asks again.
  const refused = (end === 'error' && broken === 0) || end === 'rolled_back';
  if (refused && requests.length > 0) result.contradictions += 1;
  if (end === 'rolled_back' && id !== undefined) result.contradictions += 1;
  for (const request of requests) {
    if (request.reference === null) continue;
    const received = events.count('till.transaction.received', request.reference);
    const returned = events.count('till.transaction.reversed', request.reference);
    const { reference, scenario } = request;
    if (received === 0) lose(`no received event for transaction ${reference} (${scenario})`);
    if (request.reversed && (returned === 0 || reversed + review === 0))
      lose(
        `reversal of ${reference}: ${returned} till events and ${reversed + review} payment events`,
      );
    if (received > 1 || returned > 1) result.doubleEvents += 1;
    if (!request.reversed && returned + reversed > 0) result.contradictions += 1;
  }
}

/** True when nothing was lost, emitted twice, charged twice or contradictory. */
export function isClean(results: readonly PhaseResult[]): boolean {
  return results.every(
    (result) =>
      result.lost + result.doubleEvents + result.doubleCharges + result.contradictions === 0,
  );
}
