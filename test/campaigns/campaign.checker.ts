import type { Charge } from '@tillkit/simulator';
import type { Asked } from './campaign.hosts.js';
import type { CampaignWorld } from './campaign.world.js';
import { emptyResult, type PhaseResult } from './phase.result.js';

/** What listeners heard: name and subject, with the ids of its events. */
class Heard {
  private readonly events = new Map<string, Set<string>>();

  add(name: string, subject: string, eventId: string): void {
    const key = `${name} ${subject}`;
    this.events.set(key, (this.events.get(key) ?? new Set()).add(eventId));
  }

  told(name: string, subject: string): number {
    return this.events.get(`${name} ${subject}`)?.size ?? 0;
  }
}

/** Compares what the platform charged with what listeners heard. */
export async function check(world: CampaignWorld): Promise<PhaseResult[]> {
  const heard = new Heard();
  const rows = await world.database.rows<{ name: string; event_id: string; subject: string }>(
    'select distinct name, event_id, subject from heard',
  );
  for (const { name, event_id, subject } of rows) heard.add(name, subject, event_id);
  const payments = await world.database.rows<{ id: string; idempotency_key: string }>(
    'select id, idempotency_key from tillkit.payment',
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
    judge(asked, ids.get(asked.key), charges.get(asked.key) ?? [], heard, result);
  }
  return [...results.values()];
}

/** One key. */
function judge(
  { key, end, broken }: Asked,
  id: string | undefined,
  requests: readonly Charge[],
  heard: Heard,
  result: PhaseResult,
): void {
  const charged = requests.filter((request) => request.charged).length;
  const succeeded = heard.told('payment.succeeded', id ?? '');
  const failed = heard.told('payment.failed', id ?? '');
  const review = heard.told('payment.needs_review', id ?? '');
  const reversed = heard.told('payment.reversed', id ?? '');
  result.asked += 1;
  if (end !== 'answered') result.leftAlone += 1;
  result.charged += charged;
  result.succeeded += Math.min(1, succeeded);
  result.failed += Math.min(1, failed);
  result.review += Math.min(1, review);
  // A call that did not end well may have recorded nothing; what is recorded is told, whoever still asks for it.
  const isRecorded = id !== undefined || end === 'answered';
  const lose = (what: string): void => {
    result.lost += 1;
    console.log(`lost: ${key}: ${what}`);
  };
  if (isRecorded && succeeded + failed + review === 0) lose('nobody was told how it ended');
  if (charged > 0 && succeeded + review === 0) lose('charged, and nobody was told');
  if (succeeded > 1 || failed > 1 || reversed > 1) result.doubleEvents += 1;
  if (charged > 1) result.doubleCharges += charged - 1;
  if (succeeded > 0 && charged === 0) result.contradictions += 1;
  if (succeeded > 0 && failed > 0) result.contradictions += 1;
  if (failed > 0 && charged > 0 && review === 0) result.contradictions += 1;
  // Who was told of an error, or took it back, and did not ask again, was told that nothing will be sent.
  const refused = (end === 'error' && broken === 0) || end === 'rolled_back';
  if (refused && requests.length > 0) result.contradictions += 1;
  if (end === 'rolled_back' && id !== undefined) result.contradictions += 1;
  for (const request of requests) {
    if (request.reference === null) continue;
    const received = heard.told('till.transaction.received', request.reference);
    const returned = heard.told('till.transaction.reversed', request.reference);
    const { reference, scenario } = request;
    if (received === 0) lose(`money ${reference} (${scenario}) was not told`);
    if (request.reversed && (returned === 0 || reversed + review === 0))
      lose(`reversal of ${reference}: till ${returned}, payment ${reversed + review}`);
    if (received > 1 || returned > 1) result.doubleEvents += 1;
    if (!request.reversed && returned + reversed > 0) result.contradictions += 1;
  }
}

/** Whether nothing was lost, told twice, charged twice or told wrongly. */
export function isClean(results: readonly PhaseResult[]): boolean {
  return results.every(
    (result) =>
      result.lost + result.doubleEvents + result.doubleCharges + result.contradictions === 0,
  );
}
