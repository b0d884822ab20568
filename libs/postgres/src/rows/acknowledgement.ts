import type { Claim, ClaimOutcome } from '@tillkit/payments/store';
import { storableText } from '../storable.js';
import { number, type Row } from './row.js';

/** The end of a claim, as many of them are written together. */
export interface Acknowledgement {
  claim: Claim;
  outcome: ClaimOutcome;
}

/**
 * Writes acknowledgements and says of each whether its claim still held. The statement gets them as columns and gives the
 * numbers, from 1, of those it wrote. One that comes twice in a group counts once, as it would one after the other.
 */
export async function acknowledge(
  given: readonly Acknowledgement[],
  write: (columns: unknown[]) => Promise<Row[]>,
  keyOf: (claim: Claim) => string,
): Promise<boolean[]> {
  const first = new Map<string, number>();
  given.forEach(({ claim }, index) => {
    if (!first.has(claim.token)) first.set(claim.token, index);
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

/** Keys of rows, tokens, kinds, milliseconds and notes, for `unnest`. */
function columnsOf(given: readonly Acknowledgement[], keyOf: (claim: Claim) => string): unknown[] {
  return [
    given.map(({ claim }) => keyOf(claim)),
    given.map(({ claim }) => storableText(tokenOf(claim))),
    given.map(({ outcome }) => outcome.kind),
    given.map(({ outcome }) => (outcome.kind === 'retry' ? outcome.inMs : 0)),
    given.map(({ outcome }) => noteOf(outcome)),
  ];
}

/** A token may begin with the place of its row in a queue. */
function tokenOf({ token }: Claim): string {
  return token.slice(token.indexOf('.') + 1);
}

function noteOf(outcome: ClaimOutcome): string | null {
  const note = outcome.kind === 'done' ? outcome.note : outcome.error;
  return note === undefined ? null : storableText(note);
}
