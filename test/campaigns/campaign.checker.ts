import type { CampaignWorld } from './campaign.world.js';

/** What became of the payments of one phase. The last four must be 0. */
export interface PhaseResult {
  phase: string;
  asked: number;
  charged: number;
  succeeded: number;
  failed: number;
  review: number;
  /** Charged, or asked, and nobody heard of it. */
  lost: number;
  /** Told twice under different event ids. */
  doubleEvents: number;
  doubleCharges: number;
  /** Told as paid and not charged, or told as failed and charged without a call for review. */
  contradictions: number;
}

interface Heard {
  name: string;
  event_id: string;
  subject: string;
}

/** Compares what the platform charged with what listeners heard. */
export async function check(world: CampaignWorld): Promise<PhaseResult[]> {
  const heard = await world.heard.query<Heard>(
    'select distinct name, event_id, subject from heard',
  );
  const ids = await world.heard.query<{ id: string; idempotency_key: string }>(
    'select id, idempotency_key from tillkit.payment',
  );
  const paymentIds = new Map(ids.rows.map(({ id, idempotency_key }) => [idempotency_key, id]));
  const events = new Map<string, Set<string>>();
  for (const { name, event_id, subject } of heard.rows) {
    const key = `${name} ${subject}`;
    events.set(key, (events.get(key) ?? new Set()).add(event_id));
  }
  const told = (name: string, subject: string): number =>
    events.get(`${name} ${subject}`)?.size ?? 0;
  const charges = new Map<string, { charged: number; references: string[] }>();
  for (const charge of world.simulator.charges()) {
    const known = charges.get(charge.phone) ?? { charged: 0, references: [] };
    if (charge.charged) known.charged += 1;
    if (charge.reference) known.references.push(charge.reference);
    charges.set(charge.phone, known);
  }
  const results = new Map<string, PhaseResult>();
  for (const { phase, key, phone } of world.asked) {
    const result = results.get(phase) ?? emptyResult(phase);
    results.set(phase, result);
    const id = paymentIds.get(key) ?? '';
    const { charged, references } = charges.get(phone) ?? { charged: 0, references: [] };
    const succeeded = told('payment.succeeded', id);
    const failed = told('payment.failed', id);
    const review = told('payment.needs_review', id);
    result.asked += 1;
    result.charged += charged;
    result.succeeded += Math.min(1, succeeded);
    result.failed += Math.min(1, failed);
    result.review += Math.min(1, review);
    if (succeeded + failed + review === 0) result.lost += 1;
    if (charged > 0 && succeeded + review === 0) result.lost += 1;
    if (succeeded > 1 || failed > 1) result.doubleEvents += 1;
    if (charged > 1) result.doubleCharges += charged - 1;
    if (succeeded > 0 && charged === 0) result.contradictions += 1;
    if (succeeded > 0 && failed > 0) result.contradictions += 1;
    if (failed > 0 && charged > 0 && review === 0) result.contradictions += 1;
    for (const reference of references) {
      const tills = told('till.transaction.received', reference);
      if (tills === 0) result.lost += 1;
      if (tills > 1) result.doubleEvents += 1;
    }
  }
  return [...results.values()];
}

/** Whether nothing was lost, told twice, charged twice or told wrongly. */
export function isClean(results: readonly PhaseResult[]): boolean {
  return results.every(
    (result) =>
      result.lost + result.doubleEvents + result.doubleCharges + result.contradictions === 0,
  );
}

/** What is known of the payments that nobody heard of, for whoever has to find out why. */
export async function printUnheard(world: CampaignWorld): Promise<void> {
  const { rows } = await world.heard.query<Record<string, unknown>>(
    `select payment.idempotency_key as key, payment.state, payment.cause, payment.platform_id is not null as has_id,
       payment.checks, payment.due_at - clock_timestamp() as due_in, payment.claimed_until - clock_timestamp() as claimed_for,
       (select string_agg(event.name || ':' || coalesce(call.state, 'done') || ':' || coalesce(call.attempts, 0) || ':' || coalesce(call.last_error, ''), ', ')
        from tillkit.event left join tillkit.call on call.event_id = event.id where event.stream = payment.id) as events
     from tillkit.payment
     where not exists (select from heard where heard.subject = payment.id) order by 1 limit 20`,
  );
  if (rows.length > 0) console.table(rows);
}

export function printTable(results: readonly PhaseResult[]): void {
  const total = results.reduce((sum, result) => {
    for (const [column, value] of Object.entries(result)) {
      if (typeof value === 'number')
        (sum as unknown as Record<string, number>)[column] =
          ((sum as unknown as Record<string, number>)[column] ?? 0) + value;
    }
    return sum;
  }, emptyResult('all'));
  const columns = Object.keys(total) as (keyof PhaseResult)[];
  const rows = [...results, total].map((result) => columns.map((column) => String(result[column])));
  const widths = columns.map((column, n) =>
    Math.max(column.length, ...rows.map((row) => row[n]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
      .join('  ');
  console.log([line(columns), ...rows.map(line)].join('\n'));
}

function emptyResult(phase: string): PhaseResult {
  return {
    phase,
    asked: 0,
    charged: 0,
    succeeded: 0,
    failed: 0,
    review: 0,
    lost: 0,
    doubleEvents: 0,
    doubleCharges: 0,
    contradictions: 0,
  };
}
