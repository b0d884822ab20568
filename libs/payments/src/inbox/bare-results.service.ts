import { Injectable } from '@nestjs/common';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { MAX_ATTEMPTS } from '../ledger/ledger.js';
import { bareTieChange } from '../ledger/transaction-changes.js';
import { moneyKey } from '../money/transaction-sameness.js';
import type { Transaction } from '../money/transaction.js';
import { BackgroundRequests } from '../platform/background-requests.js';
import {
  BARE_PREFIX,
  type CallbackResource,
  CallbackUrls,
  SWEEP_PREFIX,
} from '../platform/callback-urls.js';
import { type AccountResources, Resources } from '../platform/resources.js';
import { readResource, type ResultTable, type Shown } from '../platform/resource-table.js';
import {
  isOver,
  PAYMENT_LINK,
  transactionOf,
} from '../platform/resources/bare-payment-links.service.js';
import { INCOMING_PAYMENT } from '../platform/resources/incoming-payments.service.js';
import { PAY } from '../platform/resources/pay.service.js';
import { POLLING } from '../platform/resources/polling.service.js';
import { REVERSAL } from '../platform/resources/reversals.service.js';
import { SEND_MONEY } from '../platform/resources/send-money.service.js';
import { SETTLEMENT_TRANSFER } from '../platform/resources/settlement-transfers.service.js';
import { SMS_NOTIFICATION } from '../platform/resources/sms-notifications.service.js';
import { areDisbursed, isDisbursed, isTransferOver } from '../platform/transfer-batch.resource.js';
import type { ResourceEnvelope } from '../platform/wire-value.js';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import { BareRequestsStore } from '../store/bare-requests.store.js';
import type { ClaimedDelivery } from '../store/deliveries.store.js';
import type { NewEvent, PaymentsEventBase } from '../store/new-event.js';
import { withoutPersons } from '../store/redaction.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { handedOutId, idIn } from './callback-id.js';
import type { ResultName } from './callback-results.service.js';
import { deliveryEvent, type DeliveryEvents } from './deliveries.service.js';
import {
  APPLIED,
  APPLIED_AND_DELETED,
  type DeliveryOutcome,
  UNMATCHED,
} from './delivery-outcome.js';

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
    { account, verifiedBy }: ClaimedDelivery,
    envelope: ResourceEnvelope,
  ): Promise<DeliveryOutcome> {
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
          get(this.resources.resources(account, permit), envelope.id),
        );
    if (!result.isFinal) return APPLIED;
    const { callbackUrl } = result.links;
    if (handedOutId(this.urls, account, resource, callbackUrl, isSigned) === null) return UNMATCHED;
    const isDeleted = await this.commit(result.event(account), ownId, result.transaction);
    return isDeleted ? APPLIED_AND_DELETED : APPLIED;
  }

  /** True when the result names a bare request of this application, or a sweep. */
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
    const { tillAliases } = this.resources.resources(account).settings.current;
    const key = transaction && moneyKey(transaction);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const record = key ? await this.transactions.find(account, key.reference) : null;
      const tie = key && bareTieChange(bareId, transaction, key, record, tillAliases);
      if (key && !tie && attempt === 0)
        await this.anomalies.record(account, ANOMALY.ofTwoRequests, key.reference);
      const isRedacted = record?.redacted ?? false;
      const shown = isRedacted ? { ...event, payload: withoutPersons(event.payload) } : event;
      const change = { account, events: [shown], history: [], ...(tie && { transaction: tie }) };
      if (await this.commits.commit(change)) {
        if (tie) await this.ownsNoOther(account, bareId);
        return isRedacted;
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

/** A result that the platform shows of a bare request. */
interface BareResult {
  links: { callbackUrl: string | null };
  /** True when it cannot change any more. Only then its event is emitted, once. */
  isFinal: boolean;
  /** The transaction that no operation may get any more. */
  transaction: Transaction | null;
  event: (account: string) => NewEvent;
}

/** Says how results of one resource are read. */
interface BareResults {
  resource: CallbackResource;
  /** The names that the platform uses for its type. */
  types: readonly string[];
  read: (envelope: ResourceEnvelope) => BareResult;
  /** Reads the resource from the platform. */
  get: (resources: AccountResources, id: string) => Promise<BareResult>;
}

interface Description<T extends ResultTable, Name extends keyof DeliveryEvents> {
  table: T;
  event: Name;
  service: (resources: AccountResources) => { get: (id: string) => Promise<Shown<T>> };
  isFinal: (result: Shown<T>) => boolean;
  content: (result: Shown<T>) => Omit<DeliveryEvents[Name], keyof PaymentsEventBase>;
  transaction?: (result: Shown<T>) => Transaction | null;
}

function bareResults<T extends ResultTable, Name extends keyof DeliveryEvents>(
  description: Description<T, Name>,
): BareResults {
  const { table, service } = description;
  const shown = (result: Shown<T>): BareResult => ({
    links: result.links,
    isFinal: description.isFinal(result),
    transaction: description.transaction?.(result) ?? null,
    event: (account) => {
      const subject = { account, stream: result.id, via: 'callback' } as const;
      return deliveryEvent(description.event, subject, description.content(result));
    },
  });
  return {
    resource: table.callback,
    types: table.types,
    read: (envelope) => shown(readResource(table, envelope)),
    get: async (resources, id) => shown(await service(resources).get(id)),
  };
}

/** True when a result cannot change any more. */
export const hasFinalStatus = ({ status }: { status: string | null }): boolean =>
  status === 'Success' || status === 'Failed';

/** The results of all resources. */
export const BARE_RESULTS: readonly BareResults[] = [
  bareResults({
    table: INCOMING_PAYMENT,
    event: 'incoming-payment.completed',
    service: ({ incomingPayments }) => incomingPayments,
    isFinal: hasFinalStatus,
    content: (incomingPayment) => ({ incomingPayment }),
    transaction: ({ event }) => event.resource,
  }),
  bareResults({
    table: POLLING,
    event: 'polling.completed',
    service: ({ polling }) => polling,
    isFinal: hasFinalStatus,
    content: (polling) => ({ polling }),
  }),
  bareResults({
    table: SMS_NOTIFICATION,
    event: 'sms-notification.completed',
    service: ({ smsNotifications }) => smsNotifications,
    isFinal: hasFinalStatus,
    content: (smsNotification) => ({ smsNotification }),
  }),
  bareResults({
    table: SEND_MONEY,
    event: 'send-money.completed',
    service: ({ sendMoney }) => sendMoney,
    isFinal: ({ transferBatches, destinations }) =>
      areDisbursed(transferBatches, destinations?.length),
    content: (sendMoney) => ({ sendMoney }),
  }),
  bareResults({
    table: REVERSAL,
    event: 'reversal.completed',
    service: ({ reversals }) => reversals,
    isFinal: ({ reversalBulkPayment }) =>
      reversalBulkPayment !== null && isDisbursed(reversalBulkPayment),
    content: (reversal) => ({ reversal }),
  }),
  bareResults({
    table: PAYMENT_LINK,
    event: 'bare-payment-link.completed',
    service: ({ paymentLinks }) => paymentLinks,
    isFinal: isOver,
    content: (paymentLink) => ({ paymentLink }),
    transaction: transactionOf,
  }),
  bareResults({
    table: SETTLEMENT_TRANSFER,
    event: 'settlement-transfer.completed',
    service: ({ settlementTransfers }) => settlementTransfers,
    isFinal: isTransferOver,
    content: (settlementTransfer) => ({ settlementTransfer }),
  }),
  bareResults({
    table: PAY,
    event: 'pay.completed',
    service: ({ pay }) => pay,
    isFinal: isTransferOver,
    content: (pay) => ({ pay }),
  }),
];
