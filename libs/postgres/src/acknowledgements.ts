import type { Claim, ClaimOutcome } from '@tillkit/payments/internal/store';
import { queueFinishHeldSql, queueFinishSql, queueRenewSql } from './generated/sql.js';
import { GroupCommit, type GroupLimits } from './group-commit.js';
import type { Database } from './postgres-database.js';
import { number, text } from './row.js';
import { storableText } from './storable.js';

interface Acknowledgement {
  claim: Claim;
  outcome: ClaimOutcome;
}

/** Ends and renews claims of the queue. Many are ended in one commit. */
export class Acknowledgements {
  private readonly finishing: GroupCommit<Acknowledgement, boolean>;

  constructor(
    private readonly database: Database,
    limits: GroupLimits,
  ) {
    this.finishing = new GroupCommit({
      commit: (given) => this.finishAll(given),
      maxRows: 100,
      inFlight: 2,
      isUnhurried: true,
      ...limits,
    });
  }

  /** Resolves with false, without any change, when the lease was lost. */
  finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.finishing.add({ claim, outcome });
  }

  /**
   * As `finish`, for a claim that a transaction of the host may hold. It is finished by itself, because all others of its group would wait for that
   * transaction.
   * @throws StoreUnavailableError while the transaction is open
   */
  async finishHeld(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return (
      (await this.database.rows(queueFinishHeldSql, valuesOf([{ claim, outcome }]))).length > 0
    );
  }

  /** Resolves with the ids of the claims whose lease was lost. */
  async renew(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    if (claims.length === 0) return [];
    const values = [claims.map(placeOf), claims.map(tokenOf), leaseMs];
    const rows = await this.database.rows(queueRenewSql, values);
    const renewed = new Set(rows.map((row) => text(row, 'place')));
    return claims.filter((claim) => !renewed.has(placeOf(claim))).map(({ id }) => id);
  }

  async drain(): Promise<void> {
    await this.finishing.drain();
  }

  /**
   * The statement gets arrays and returns the numbers, from 1, of the claims that were still valid. A claim that is finished twice in one
   * group is written once, as in two groups.
   */
  private async finishAll(given: readonly Acknowledgement[]): Promise<boolean[]> {
    const first = new Map<string, number>();
    given.forEach(({ claim }, index) => {
      if (!first.has(claim.token)) first.set(claim.token, index);
    });
    const indexes = [...first.values()];
    const distinct = indexes.map((index) => given[index] as Acknowledgement);
    const rows = await this.database.rows(queueFinishSql, valuesOf(distinct));
    const written = new Set(rows.map((row) => indexes[number(row, 'number') - 1]));
    return given.map((_, index) => written.has(index));
  }
}

/** Returns the arrays that `finish_claims` reads. */
function valuesOf(given: readonly Acknowledgement[]): unknown[] {
  return [
    given.map(({ claim }) => placeOf(claim)),
    given.map(({ claim }) => tokenOf(claim)),
    given.map(({ outcome }) => kindOf(outcome)),
    given.map(({ outcome }) => (outcome.kind === 'retry' ? outcome.inMs : 0)),
    given.map(({ outcome }) => noteOf(outcome)),
  ];
}

/** Returns the token without the place of its row in the queue, which stands before it. The claims of one commit share a token. */
export function tokenOf({ token }: Claim): string {
  return storableText(token.slice(token.indexOf('.') + 1));
}

/** Returns the place of a row in the queue. For an invalid token it returns 0, which no row has. */
export function placeOf({ token }: Claim): string {
  return /^(\d{1,18})\./.exec(token)?.[1] ?? '0';
}

/** Returns the kind of an outcome, as `finish_claims` reads it. */
export function kindOf(outcome: ClaimOutcome): string {
  return outcome.kind === 'done' && outcome.isDeleted ? 'deleted' : outcome.kind;
}

export function noteOf(outcome: ClaimOutcome): string | null {
  const note = outcome.kind === 'done' ? outcome.note : outcome.error;
  return note === undefined ? null : storableText(note);
}
