import {
  AccountsStore,
  type AccountClaim,
  type AccountConflict,
} from '../../../accounts/accounts.store.js';

export class MemoryAccountsStore extends AccountsStore {
  private readonly claims = new Map<string, AccountClaim & { until: number }>();

  constructor(private readonly now: () => number) {
    super();
  }

  async claim(claims: readonly AccountClaim[], forMs: number): Promise<readonly AccountConflict[]> {
    const now = this.now();
    const names = new Set(claims.map(({ account }) => account));
    const others = [...this.claims.values()].filter(
      ({ account, until }) => !names.has(account) && until > now,
    );
    const conflicts = claims.flatMap((claim, index) =>
      [...others, ...claims.slice(0, index)].flatMap((other) => conflictsOf(claim, other)),
    );
    if (conflicts.length === 0)
      for (const claim of claims) this.claims.set(claim.account, { ...claim, until: now + forMs });
    return conflicts;
  }
}

function conflictsOf(claim: AccountClaim, other: AccountClaim): AccountConflict[] {
  const names = { account: claim.account, other: other.account };
  const tills = claim.tills.filter((till) => other.tills.includes(till));
  const sharesKey = claim.keyHashes.some((hash) => other.keyHashes.includes(hash));
  const silent = [claim, other].filter(({ listsTills }) => sharesKey && !listsTills);
  return [
    ...tills.map((till): AccountConflict => ({ kind: 'till', ...names, till })),
    ...silent.map(({ account }): AccountConflict => ({ kind: 'key', ...names, silent: account })),
  ];
}
