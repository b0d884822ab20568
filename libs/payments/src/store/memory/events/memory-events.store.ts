import { NEVER } from 'rxjs';
import {
  EventsStore,
  type DeadLetter,
  type ReplayedLetter,
  type DeadLetterFilter,
  type EventSummary,
  type ListenerCall,
  type MissingListener,
  type StoredEvent,
  type WantedCalls,
} from '../../events.store.js';
import type { PaymentsEventName } from '../../payments.events.js';
import type { Claim, ClaimOutcome } from '../../../work/claim.js';
import { PerAccount } from '../../../work/per-account.js';
import type { Page, PageRequest } from '../../page.js';
import { claimLongestDue } from '../memory-due.js';
import { isWithin, pageOf } from '../memory.page.js';
import { MemoryEvents } from './memory-events.js';
import type { AccountScope } from '../../../work/account-scope.js';

export class MemoryEventsStore extends EventsStore {
  private readonly accounts: PerAccount<MemoryEvents>;

  constructor(now: () => number) {
    super();
    this.accounts = new PerAccount((account) => new MemoryEvents(account, now), NEVER);
  }

  of(account: string): MemoryEvents {
    return this.accounts.of(account);
  }

  /** The accounts of a scope that have events. */
  within(accounts: AccountScope): MemoryEvents[] {
    return this.accounts.within(accounts);
  }

  hasOpen(account: string): boolean {
    return this.of(account).waiting().length > 0;
  }

  async registerListeners(
    account: string,
    listeners: readonly { event: PaymentsEventName; listener: string }[],
  ): Promise<void> {
    this.of(account).register(listeners);
  }

  async deleteListener(account: string, listener: string): Promise<number> {
    return this.of(account).deleteListener(listener);
  }

  async claimCalls(
    wanted: readonly WantedCalls[],
    limit: number,
    leaseMs: number,
  ): Promise<ListenerCall[]> {
    const due = wanted.flatMap((calls) => this.of(calls.account).due(calls, leaseMs));
    return claimLongestDue(due, limit);
  }

  async finishCall(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.of(claim.account).finish(claim, outcome);
  }

  async renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    return claims
      .filter((claim) => !this.of(claim.account).renew(claim, leaseMs))
      .map(({ id }) => id);
  }

  async listDeadLetters(
    account: string,
    { listener, from, to }: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<DeadLetter>> {
    const fits = (letter: DeadLetter): boolean =>
      (listener === undefined || letter.listener === listener) && isWithin(letter.diedAt, from, to);
    const found = this.of(account).deadLetters().filter(fits);
    return pageOf(found, page, ({ diedAt, id }) => [diedAt, id], 'oldest first');
  }

  async replayDeadLetters(account: string, id?: string): Promise<ReplayedLetter[]> {
    return this.of(account).replay(id);
  }

  async missingListeners(account: string, dueForMs: number): Promise<MissingListener[]> {
    return this.of(account).missingListeners(dueForMs);
  }

  async list(account: string, stream: string): Promise<StoredEvent[]> {
    return this.of(account).list(stream);
  }

  async listRecent(account: string, page: PageRequest): Promise<Page<EventSummary>> {
    const { items, next } = pageOf(this.of(account).list(), page, ({ at, id }) => [at, id]);
    return {
      items: items.map(({ id, name, stream, at, via }) => ({ id, name, stream, at, via })),
      next,
    };
  }
}
