import { createHmac } from 'node:crypto';
import type { TargetProcess } from './target.process.js';
import type { TargetEvent } from './target.settings.js';

/** The words for received money. */
const PROOF = new Set<unknown>(['Received', 'Complete']);

/** What the attacker knows by itself: which deliveries the platform's key signed, and what those say. */
export class Truth {
  readonly problems: string[] = [];
  private readonly references = new Set<string>();
  private readonly successes = new Set<string>();
  private readonly expected = new Set<string>();

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

  /** Expects an event for a transaction that the platform reports meanwhile. */
  expects(reference: string): void {
    this.expected.add(reference);
  }

  problem(text: string): void {
    if (this.problems.length < 20) this.problems.push(text);
  }

  /** Compares the events of the target with what signed deliveries said. */
  check({ events, errors }: TargetProcess): void {
    for (const error of errors) this.problem(`the target logged an error: ${error}`);
    const seen = new Set<string>();
    for (const event of events) {
      if (!this.isSaid(event)) this.problem(`false accept: ${JSON.stringify(event)}`);
      const once = `${event.name} ${event.platformId ?? event.reference}`;
      if (seen.has(once)) this.problem(`emitted twice: ${once}`);
      seen.add(once);
    }
    const received = new Set(events.map(({ reference }) => reference));
    for (const reference of this.expected)
      if (!received.has(reference)) this.problem(`no event for the transaction ${reference}`);
  }

  private isSaid({ name, reference, platformId }: TargetEvent): boolean {
    return name === 'payment.succeeded'
      ? this.successes.has(`${platformId} ${reference}`)
      : this.references.has(reference ?? '');
  }

  private read(body: Buffer): void {
    const parsed = jsonOf(body);
    const { topic, event, data } = (parsed ?? {}) as Record<string, never>;
    const reference = referenceOf(event);
    const word = (event as { resource?: { status?: unknown } } | undefined)?.resource?.status;
    const isReceived = String(topic).endsWith('_received') && PROOF.has(word);
    if (isReceived && reference) this.references.add(reference);
    const { id, attributes } = (data ?? {}) as Record<string, never>;
    const paid = referenceOf((attributes as Record<string, never> | undefined)?.['event']);
    const status = (attributes as Record<string, unknown> | undefined)?.['status'];
    if (status === 'Success' && paid) this.successes.add(`${String(id)} ${paid}`);
  }
}

/** The deepest JSON that the library says it understands. */
const MOST_LEVELS = 64;

function jsonOf(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  try {
    const parsed: unknown = JSON.parse(text);
    return levelsOf(text) > MOST_LEVELS ? null : parsed;
  } catch {
    return null;
  }
}

function levelsOf(json: string): number {
  let level = 0;
  let most = 0;
  for (const sign of json.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').replaceAll(/[^[\]{}]/g, '')) {
    level += sign === '[' || sign === '{' ? 1 : -1;
    most = Math.max(most, level);
  }
  return most;
}

/** What identifies a transaction: its reference, or its id when it has none. */
function referenceOf(event: unknown): string | null {
  const { resource } = (event ?? {}) as { resource?: { reference?: unknown; id?: unknown } | null };
  const [first] = [resource?.reference, resource?.id]
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map((value) => String(value).trim())
    .filter(Boolean);
  return first ?? null;
}
