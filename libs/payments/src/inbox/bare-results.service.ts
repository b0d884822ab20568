import { Injectable } from '@nestjs/common';
import { MAX_ATTEMPTS } from '../ledger/ledger.js';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { bareTieChange } from '../ledger/transaction-changes.js';
import type { Transaction } from '../money/transaction.js';
import { moneyKey } from '../money/transaction-sameness.js';
import { AnomaliesStore } from '../store/anomalies.store.js';
import { ANOMALY } from '../store/anomaly-kinds.js';
import { BareRequestsStore } from '../store/bare-requests.store.js';
import { withoutPersons } from '../store/event-payload-redaction.js';
import type { NewEvent } from '../store/new-event.js';
import { TransactionsStore } from '../store/transactions.store.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { Resources } from '../platform/resources.js';
import { BackgroundRequests } from '../work/background-requests.js';
import { BARE_PREFIX, CallbackUrls, SWEEP_PREFIX } from '../work/callback-urls.js';
import type { AppliedDelivery } from './applied-delivery.js';
import { BARE_RESULTS } from './bare-results.js';
import { handedOutId, idIn } from './callback-id.js';
import {
  APPLIED,
  APPLIED_AND_ERASED,
  UNMATCHED,
  type DeliveryOutcome,
} from './delivery-outcome.js';
import type { ClaimedDelivery } from '../store/deliveries.store.js';
import type { ResultName } from './unmatched-results.js';

/** Applies results of bare requests: one event for each id, once it is final. Results of our own sweeps emit no event. */
@Injectable()
export class BareResultsService {
  constructor(
    private readonly transactions: TransactionsStore,
    private readonly bareRequests: BareRequestsStore,
    private readonly commits: LedgerCommits,
    private readonly anomalies: AnomaliesStore,
    private readonly urls: CallbackUrls,
    private readonly background: BackgroundRequests,
    private readonly resources: Resources,
  ) {}

  async apply(
    { account, verifiedBy, arriving }: AppliedDelivery,
    envelope: ResourceEnvelope,
  ): Promise<DeliveryOutcome> {
    arriving?.mustBeStored();
    const results = BARE_RESULTS.find(({ types }) => types.includes(envelope.type));
    if (!results) return { kind: 'unrecognised', why: `type ${envelope.type} is not known` };
    const { resource, read, get } = results;
    const ownId = idIn(envelope.links.callbackUrl, resource);
    if (ownId?.startsWith(SWEEP_PREFIX)) return APPLIED;
    if (!ownId?.startsWith(BARE_PREFIX)) return UNMATCHED;
    const isSigned = verifiedBy === 'signature';
    const result = isSigned
      ? read(envelope)
      : await this.background.confirm(account, 'confirmation', (permit) =>
          get(this.resources.of(account, permit), envelope.id),
        );
    if (!result.isFinal) return APPLIED;
    const { callbackUrl } = result.links;
    if (handedOutId(this.urls, account, resource, callbackUrl, isSigned) === null) return UNMATCHED;
    const isErased = await this.commit(result.event(account), ownId, result.transaction);
    return isErased ? APPLIED_AND_ERASED : APPLIED;
  }

  /** Whether what a result names is a bare request of this application, or a sweep. */
  isOurs({ account, verifiedBy }: ClaimedDelivery, { type, callbackUrl }: ResultName): boolean {
    const results = BARE_RESULTS.find(({ types }) => types.includes(type));
    if (!results) return true;
    const ownId = idIn(callbackUrl, results.resource);
    if (ownId?.startsWith(SWEEP_PREFIX)) return true;
    if (!ownId?.startsWith(BARE_PREFIX)) return false;
    // Without a signature, the platform says whose it is.
    if (verifiedBy === 'url') return true;
    return handedOutId(this.urls, account, results.resource, callbackUrl, true) !== null;
  }

  /**
   * Commits the result of a bare request, and ties its transaction to the request, so that no operation gets it.
   * @param bareId the id in the request's callback URL
   * @returns whether its transaction was redacted: then the event names nobody
   */
  async commit(event: NewEvent, bareId: string, transaction: Transaction | null): Promise<boolean> {
    const { account } = event.payload;
    const { tillAliases } = this.resources.of(account).settings.current;
    const key = transaction && moneyKey(transaction);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const record = key ? await this.transactions.find(account, key.reference) : null;
      const tie = key && bareTieChange(bareId, transaction, key, record, tillAliases);
      if (key && !tie && attempt === 0)
        await this.anomalies.record(account, ANOMALY.ofTwoRequests, key.reference);
      const isErased = record?.redacted ?? false;
      const shown = isErased ? { ...event, payload: withoutPersons(event.payload) } : event;
      const change = { account, events: [shown], history: [], ...(tie && { transaction: tie }) };
      if (await this.commits.commit({ change })) {
        if (tie) await this.ownsNoOther(account, bareId);
        return isErased;
      }
    }
    throw new Error(`transaction ${key?.reference} changes faster than it can be written`);
  }

  /** A bare request whose transaction is known can own no other, so it is no rival of operations any more. */
  private async ownsNoOther(account: string, bareId: string): Promise<void> {
    const request = await this.bareRequests.find(account, 'incoming-payments', bareId);
    if (request?.money) await this.bareRequests.keep(account, { ...request, money: null });
  }
}
