import type { Claim, ClaimOutcome } from '@tillkit/payments/internal/store';
import { storableText } from './storable.js';
import { number, type Row } from './row.js';

/** The outcome of a claim. Many of them are written in one commit. */
export interface Acknowledgement {
  claim: Claim;
  outcome: ClaimOutcome;
}

/**
 * Writes acknowledgements and returns for each whether its claim was still valid. The statement gets them as arrays and
 * returns the numbers, from 1, of those it wrote. A claim that is finished twice in one group is written once, as it would be
 * in two groups.
 */
export async function acknowledge(
  given: readonly Acknowledgement[],
  write: (columns: unknown[]) => Promise<Row[]>,
  keyOf: (claim: Claim) => string,
): Promise<boolean[]> {
  const first = new Map<string, number>();
  given.forEach(({ claim }, index) => {
    // Claims of one commit share a token.
    const name = `${claim.id} ${claim.token}`;
    if (!first.has(name)) first.set(name, index);
  });
  const indexes = [...first.values()];
  const rows = await write(
    columnsOf(
      indexes.map((index) => given[index] as Acknowledgement),
      keyOf,
    ),
  );
  const written = new Set(rows.map((row) => indexes[number(row, 'number') - 1]));
  return given.map((_, index) => written.has(index));
}

/** One array each for keys, tokens, kinds, milliseconds and notes. The statement joins them with `unnest`. */
function columnsOf(given: readonly Acknowledgement[], keyOf: (claim: Claim) => string): unknown[] {
  return [
    given.map(({ claim }) => keyOf(claim)),
    given.map(({ claim }) => storableText(tokenOf(claim))),
    given.map(({ outcome }) => outcome.kind),
    given.map(({ outcome }) => (outcome.kind === 'retry' ? outcome.inMs : 0)),
    given.map(({ outcome }) => noteOf(outcome)),
  ];
}

/** The token without the place of its row in the queue, which may stand before it. */
export function tokenOf({ token }: Claim): string {
  return token.slice(token.indexOf('.') + 1);
}

/** The place of a row in the queue. For an invalid token it returns 0, which no row has. */
export function placeOf({ token }: Claim): string {
  return /^(\d{1,18})\./.exec(token)?.[1] ?? '0';
}

export function noteOf(outcome: ClaimOutcome): string | null {
  const note = outcome.kind === 'done' ? outcome.note : outcome.error;
  return note === undefined ? null : storableText(note);
}
