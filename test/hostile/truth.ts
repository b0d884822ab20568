import { createHmac } from 'node:crypto';
import type { TargetProcess } from './target.process.js';
import type { TargetEvent } from './target.settings.js';

/** What the attacker knows by itself: which deliveries the platform's key signed, and what those say. */
export class Truth {
  readonly problems: string[] = [];
  private readonly references = new Set<string>();
  private readonly successes = new Set<string>();

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
    if (String(topic).endsWith('_received') && reference) this.references.add(reference);
    const { id, attributes } = (data ?? {}) as Record<string, never>;
    const paid = referenceOf((attributes as Record<string, never> | undefined)?.['event']);
    const status = (attributes as Record<string, unknown> | undefined)?.['status'];
    if (status === 'Success' && paid) this.successes.add(`${String(id)} ${paid}`);
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
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
