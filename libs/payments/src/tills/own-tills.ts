import { Injectable } from '@nestjs/common';
import { AccountsStore } from '../store/accounts.store.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { isOwnTill, joinedTills } from '../money/till-number.js';

/** The tills whose money an account keeps and shows. */
@Injectable()
export class OwnTills {
  constructor(
    private readonly accounts: KnownAccounts,
    private readonly store: AccountsStore,
  ) {}

  /** Whether an account keeps money of a till. The till of a removed account may be that of another one by now. */
  async has(account: string, tillNumber: string | null): Promise<boolean> {
    const settings = this.accounts.of(account);
    if (!isOwnTill(settings, tillNumber)) return false;
    if (!settings.isRemoved || tillNumber === null) return true;
    const numbers = joinedTills(tillNumber, settings.tillAliases);
    return !(await this.store.isClaimedByAnother(account, numbers));
  }
}
