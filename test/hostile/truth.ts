import { createHmac } from 'node:crypto';
import { jsonOf, moneyOf, referenceOf, resourceOf } from './signed.body.js';
import type { TargetProcess } from './target.process.js';
import { REQUESTED, type TargetEvent } from './target.settings.js';

/** The words for received money, in letters of any case. */
const PROOF = /^(received|complete)$/i;
/** A refused delivery is explained at most this often for each cause. */
const WARNED_EVERY_MS = 10_000;
const MOST_CAUSES = 20;
const ASKED = moneyOf(REQUESTED.value, REQUESTED.currency);

/** The store of a busy machine may be late. The work goes on by itself. */
const RECOVERED = /the next claim follows soon/;

/** The attacker knows by itself which deliveries the platform's key signed, and what those say. So it can tell a false event. */
export class Truth {
  readonly problems: string[] = [];
  /** The events that signed deliveries allow. */
  private readonly said = new Set<string>();
  private readonly expected = new Set<string>();
  private signed = 0;

  constructor(private readonly apiKey: string) {}

  sign(body: Buffer): string {
    return createHmac('sha256', this.apiKey).update(body).digest('hex');
  }

  /** Notes a delivery before it is posted. Returns whether it is signed with the platform's key. */
  posts(body: Buffer, signature: string | undefined): boolean {
    const isSigned = signature?.toLowerCase() === this.sign(body);
    if (isSigned) this.read(body);
    return isSigned;
  }

  /** Expects an event about a transaction (its reference) or a payment (its platform id). */
  expects(name: TargetEvent['name'], subject: string): void {
    this.expected.add(`${name} ${subject}`);
  }

  problem(text: string): void {
    if (this.problems.length < 20) this.problems.push(text);
  }

  /** Compares the events and the log of the target with what signed deliveries said. */
  check({ events, errors, warnings, startedAt }: TargetProcess): void {
    for (const error of errors.filter((line) => !RECOVERED.test(line)))
      this.problem(`the target logged an error: ${error}`);
    this.checkWarnings(warnings, performance.now() - startedAt);
    const seen = new Set<string>();
    for (const event of events) {
      if (!this.isSaid(event)) this.problem(`false accept: ${JSON.stringify(event)}`);
      const { name, platformId, reference, tillNumber } = event;
      // One reference at two tills is money twice.
      const once = platformId ? `${name} ${platformId}` : `${name} ${reference} at ${tillNumber}`;
      if (seen.has(once)) this.problem(`emitted twice: ${once}`);
      seen.add(once);
    }
    for (const event of this.missing(events)) this.problem(`no event ${event}`);
  }

  /** Expected events that have not come. */
  missing(events: readonly TargetEvent[]): string[] {
    const seen = new Set(
      events.map(({ name, platformId, reference }) => `${name} ${platformId ?? reference}`),
    );
    return [...this.expected].filter((event) => !seen.has(event));
  }

  /** Outsiders must not fill the log. A signed delivery may be explained each time. */
  private checkWarnings(warnings: readonly string[], elapsedMs: number): void {
    const most = 1 + Math.floor(elapsedMs / WARNED_EVERY_MS);
    const refusals = new Map<string, number>();
    for (const line of warnings.filter((one) => one.includes('was refused'))) {
      const cause = line.replace(/ \(and \d+ more.*/s, '');
      refusals.set(cause, (refusals.get(cause) ?? 0) + 1);
    }
    for (const [cause, count] of refusals)
      if (count > most) this.problem(`${count} warnings of one cause: ${cause}`);
    if (refusals.size > MOST_CAUSES) this.problem(`${refusals.size} causes of refusals are logged`);
    const others = warnings.filter((one) => !one.includes('was refused'));
    if (others.length > this.signed)
      this.problem(`${others.length} warnings for ${this.signed} signed deliveries: ${others[0]}`);
  }

  private isSaid({ name, reference, platformId, amount, currency }: TargetEvent): boolean {
    return this.said.has(`${name} ${platformId} ${reference} ${moneyOf(amount, currency)}`);
  }

  private read(body: Buffer): void {
    this.signed += 1;
    const { topic, event, data } = (jsonOf(body) ?? {}) as Record<string, unknown>;
    if (String(topic).endsWith('_received'))
      this.says('till.transaction.received', null, resourceOf(event));
    const { id, attributes } = (data ?? {}) as Record<string, never>;
    const { status, event: result } = (attributes ?? {}) as Record<string, unknown>;
    const paid = resourceOf(result);
    if (status === 'Success' && moneyOf(paid['amount'], paid['currency']) === ASKED)
      this.says('payment.succeeded', String(id), paid);
  }

  private says(
    name: TargetEvent['name'],
    platformId: string | null,
    resource: Record<string, unknown>,
  ): void {
    const reference = referenceOf(resource);
    const money = moneyOf(resource['amount'], resource['currency']);
    if (reference !== null && money !== null && PROOF.test(String(resource['status'])))
      this.said.add(`${name} ${platformId} ${reference} ${money}`);
  }
}
