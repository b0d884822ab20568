import type { CampaignEnvironment } from './campaign.environment.js';
import { emptyResult, type PhaseResult } from './phase.result.js';

type Column = Exclude<keyof PhaseResult, 'phase'>;

export function printTable(results: readonly PhaseResult[]): void {
  const { phase: _, ...zero } = emptyResult('all');
  const columns = Object.keys(zero) as Column[];
  const total = emptyResult('all');
  for (const result of results) for (const column of columns) total[column] += result[column];
  const rows = [
    ['phase', ...columns],
    ...[...results, total].map((result) => [
      result.phase,
      ...columns.map((column) => String(result[column])),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_cell, n) =>
    Math.max(...rows.map((row) => row[n]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
      .join('  ');
  console.log(rows.map(line).join('\n'));
}

/** Prints the payments and the transactions without an event, to help find the cause. */
export async function printMissing({ database }: CampaignEnvironment): Promise<void> {
  const rows = await database.rows(
    `select payment.idempotency_key as key, payment.state, payment.cause, payment.platform_id is not null as has_id,
       payment.checks, queued.due_at - clock_timestamp() as due_in, queued.claimed_until - clock_timestamp() as claimed_for,
       (select string_agg(event.name || ':' || coalesce(split_part(queue.lane, ' ', 1), 'done') || ':' || coalesce(queue.attempts, 0) || ':' || coalesce(queue.last_error, ''), ', ')
        from tillkit.event left join tillkit.queue on queue.item = event.id where event.stream = payment.id) as events
     from tillkit.operation payment left join tillkit.operation_queue queued using (id, account)
     where not exists (select from received_event where received_event.subject = payment.id) order by 1 limit 20`,
  );
  if (rows.length > 0) console.table(rows);
  const money = await database.rows(
    `select to_jsonb(money) as transaction,
       (select jsonb_agg(to_jsonb(event)) from tillkit.event where event.payload::text like '%"' || money.reference || '"%') as events,
       (select jsonb_agg(operation.history) from tillkit.operation where operation.history::text like '%' || money.reference || '%') as history
     from tillkit.transaction money
     where not exists (select from received_event received
       where received.subject = money.reference and received.name = 'till.transaction.received') limit 20`,
  );
  for (const one of money) console.log(JSON.stringify(one));
}

/** Formats durations as `p50 12 ms, p99 80 ms, at most 95 ms of 400`. */
export function spread(durationsMs: readonly number[]): string {
  const at = (share: number): string => `${Math.round(percentile(durationsMs, share))} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} of ${durationsMs.length}`;
}

export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
