import type { Charge } from '@tillkit/simulator';
import type { Asked } from './campaign.hosts.js';
import type { CampaignWorld } from './campaign.world.js';
import { emptyResult, type PhaseResult } from './phase.result.js';

/** What listeners received: name and subject, with the ids of its events. */
class ReceivedEvents {
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
export async function check(world: CampaignWorld): Promise<PhaseResult[]> {
  const received = new ReceivedEvents();
  const rows = await world.database.rows<{ name: string; event_id: string; subject: string }>(
    'select distinct name, event_id, subject from received_event',
  );
  for (const { name, event_id, subject } of rows) received.add(name, subject, event_id);
  const payments = await world.database.rows<{ id: string; idempotency_key: string }>(
    'select id, idempotency_key from tillkit.operation',
  );
  const ids = new Map(payments.map(({ id, idempotency_key }) => [idempotency_key, id]));
  const charges = new Map<unknown, Charge[]>();
  for (const charge of world.simulator.charges()) {
    const { key } = charge.metadata;
    charges.set(key, [...(charges.get(key) ?? []), charge]);
  }
  const results = new Map<string, PhaseResult>();
  for (const asked of world.hosts.asked) {
    const result = results.get(asked.phase) ?? emptyResult(asked.phase);
    results.set(asked.phase, result);
    compare(asked, ids.get(asked.key), charges.get(asked.key) ?? [], received, result);
  }
  return [...results.values()];
}

/** One key. */
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
  // A call that did not end well may have recorded nothing; what is recorded has an event, whoever still asks for it.
  const isRecorded = id !== undefined || end === 'answered';
  const lose = (what: string): void => {
    result.lost += 1;
    console.log(`lost: ${key}: ${what}`);
  };
  if (isRecorded && succeeded + failed + review === 0) lose('no event says how it ended');
  if (charged > 0 && succeeded + review === 0) lose('charged, and no event says so');
  if (succeeded > 1 || failed > 1 || reversed > 1) result.doubleEvents += 1;
  if (charged > 1) result.doubleCharges += charged - 1;
  if (succeeded > 0 && charged === 0) result.contradictions += 1;
  if (succeeded > 0 && failed > 0) result.contradictions += 1;
  if (failed > 0 && charged > 0 && review === 0) result.contradictions += 1;
  // A host whose call threw, or that rolled back, and that did not ask again, may rely on it that nothing is sent.
  const refused = (end === 'error' && broken === 0) || end === 'rolled_back';
  if (refused && requests.length > 0) result.contradictions += 1;
  if (end === 'rolled_back' && id !== undefined) result.contradictions += 1;
  for (const request of requests) {
    if (request.reference === null) continue;
    const received = events.count('till.transaction.received', request.reference);
    const returned = events.count('till.transaction.reversed', request.reference);
    const { reference, scenario } = request;
    if (received === 0) lose(`money ${reference} (${scenario}) was not emitted`);
    if (request.reversed && (returned === 0 || reversed + review === 0))
      lose(`reversal of ${reference}: till ${returned}, payment ${reversed + review}`);
    if (received > 1 || returned > 1) result.doubleEvents += 1;
    if (!request.reversed && returned + reversed > 0) result.contradictions += 1;
  }
}

/** Whether nothing was lost, emitted twice, charged twice or emitted wrongly. */
export function isClean(results: readonly PhaseResult[]): boolean {
  return results.every(
    (result) =>
      result.lost + result.doubleEvents + result.doubleCharges + result.contradictions === 0,
  );
}
