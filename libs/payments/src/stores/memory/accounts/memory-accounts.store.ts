import {
  AccountsStore,
  type AccountClaim,
  type AccountConflict,
} from '../../../accounts/accounts.store.js';

/** One till or one key of an account. */
interface Claimed {
  account: string;
  kind: 'till' | 'key';
  value: string;
  listsTills: boolean;
  until: number;
}

export class MemoryAccountsStore extends AccountsStore {
  private claimed: Claimed[] = [];

  constructor(
    private readonly work: { hasOpen(account: string): boolean }[],
    private readonly now: () => number,
  ) {
    super();
  }

  async withOpenWork(accounts: readonly string[]): Promise<readonly string[]> {
    return accounts.filter((account) => this.work.some((kind) => kind.hasOpen(account)));
  }

  async claim(claims: readonly AccountClaim[], forMs: number): Promise<readonly AccountConflict[]> {
    const now = this.now();
    const names = new Set(claims.map(({ account }) => account));
    const given = claims.flatMap((claim) => claimedBy(claim, now + forMs));
    const others = this.claimed.filter(({ account, until }) => !names.has(account) && until > now);
    const conflicts = given.flatMap((claim) => [
      ...others.flatMap((other) => conflictsOf(claim, other)),
      ...given
        .filter(({ account }) => account < claim.account)
        .flatMap((other) => conflictsOf(claim, other)),
    ]);
    if (conflicts.length > 0) return conflicts;
    const replaced = new Set(given.map(keyOf));
    const tills = new Set(given.filter(({ kind }) => kind === 'till').map(({ value }) => value));
    this.claimed = [
      ...this.claimed.filter(
        (one) =>
          one.until > now &&
          !replaced.has(keyOf(one)) &&
          !(one.kind === 'till' && tills.has(one.value)),
      ),
      ...given,
    ];
    return [];
  }
}

function keyOf({ account, kind, value }: Claimed): string {
  return [account, kind, value].join('/');
}

function claimedBy(
  { account, tills, keyHashes, listsTills }: AccountClaim,
  until: number,
): Claimed[] {
  const of = (kind: Claimed['kind'], value: string): Claimed => ({
    account,
    kind,
    value,
    listsTills,
    until,
  });
  return [...tills.map((till) => of('till', till)), ...keyHashes.map((hash) => of('key', hash))];
}

function conflictsOf(claim: Claimed, other: Claimed): AccountConflict[] {
  if (claim.kind !== other.kind || claim.value !== other.value) return [];
  const names = { account: claim.account, other: other.account };
  if (claim.kind === 'till') return [{ kind: 'till', ...names, till: claim.value }];
  return [claim, other]
    .filter(({ listsTills }) => !listsTills)
    .map(({ account }) => ({ kind: 'key', ...names, silent: account }));
}
