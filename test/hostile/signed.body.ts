/** The deepest JSON that the library says it understands. */
const MOST_LEVELS = 64;

export function jsonOf(body: Buffer): unknown {
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

/** Returns the transaction in an event of a body; empty when there is none. */
export function resourceOf(event: unknown): Record<string, unknown> {
  const { resource } = (event ?? {}) as { resource?: Record<string, unknown> | null };
  return resource ?? {};
}

/** Returns what identifies a transaction: its reference, or `id` and its id when it has none. */
export function referenceOf({ reference, id }: Record<string, unknown>): string | null {
  const [text, ofId] = [reference, id].map((value) =>
    typeof value === 'string' || Number.isFinite(value) ? String(value).trim() : '',
  );
  return text || (ofId ? `id ${ofId}` : null);
}

/** Returns a readable amount and its currency, in minor units: `10000 KES`. */
export function moneyOf(amount: unknown, currency: unknown): string | null {
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return null;
  if (typeof amount !== 'string' && typeof amount !== 'number') return null;
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(String(amount).trim()) ?? [];
  if (whole === undefined) return null;
  // A JSON number with more digits is not the number that was written.
  if (typeof amount === 'number' && (whole + fraction).replace(/^0+/, '').length > 15) return null;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  if (/[1-9]/.test(fraction.slice(digits))) return null;
  return `${BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))} ${currency}`;
}
