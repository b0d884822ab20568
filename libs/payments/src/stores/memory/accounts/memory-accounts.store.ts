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

  async claim(claim: AccountClaim, forMs: number): Promise<readonly AccountConflict[]> {
    const now = this.now();
    const others = [...this.claims.values()].filter(
      ({ account, until }) => account !== claim.account && until > now,
    );
    const conflicts = others.flatMap((other) => conflictsOf(claim, other));
    if (conflicts.length === 0) this.claims.set(claim.account, { ...claim, until: now + forMs });
    return conflicts;
  }
}

function conflictsOf(claim: AccountClaim, other: AccountClaim): AccountConflict[] {
  const { account, listsTills } = other;
  const tills = claim.tills.filter((till) => other.tills.includes(till));
  const sharesKey = claim.keyHashes.some((hash) => other.keyHashes.includes(hash));
  const isUnclear = sharesKey && !(claim.listsTills && listsTills);
  return [
    ...tills.map((till): AccountConflict => ({ kind: 'till', account, till })),
    ...(isUnclear ? [{ kind: 'key', account, listsTills } as const] : []),
  ];
}
