import type { NewEvent, PaymentsEventBase } from '../store/new-event.js';
import type { CallbackResource } from '../work/callback-urls.js';
import {
  INCOMING_PAYMENT_TYPE,
  readIncomingPayment,
} from '../platform/resources/incoming-payments/incoming-payment.resource.js';
import { PAY_TYPE, readPay } from '../platform/resources/pay/pay.resource.js';
import {
  isOver,
  PAYMENT_LINK_TYPE,
  readPaymentLink,
  transactionOf,
} from '../platform/resources/payment-links/payment-link.resource.js';
import { POLLING_TYPE, readPolling } from '../platform/resources/polling/polling.resource.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import type { AccountResources } from '../platform/resources.js';
import { readReversal, REVERSAL_TYPES } from '../platform/resources/reversals/reversal.resource.js';
import {
  readSendMoney,
  SEND_MONEY_TYPE,
} from '../platform/resources/send-money/send-money.resource.js';
import {
  readSettlementTransfer,
  SETTLEMENT_TRANSFER_TYPE,
} from '../platform/resources/settlement-transfers/settlement-transfer.resource.js';
import {
  readSmsNotification,
  SMS_NOTIFICATION_TYPE,
} from '../platform/resources/sms-notifications/sms-notification.resource.js';
import type { Transaction } from '../money/transaction.js';
import { areDisbursed, isDisbursed, isTransferOver } from '../platform/transfer-batch.resource.js';
import { deliveryEvent, type DeliveryEvents } from '../store/deliveries.events.js';

/** What the platform shows of a bare request. */
export interface BareResult {
  links: { callbackUrl: string | null };
  /** Whether it cannot change any more. Only then its event is emitted, once. */
  isFinal: boolean;
  /** The transaction that no operation may get any more. */
  transaction: Transaction | null;
  event: (account: string) => NewEvent;
}

/** How results of one resource are read. */
export interface BareResults {
  resource: CallbackResource;
  /** The names that the platform uses for its type. */
  types: readonly string[];
  read: (envelope: ResourceEnvelope) => BareResult;
  /** Reads it from the platform. */
  get: (resources: AccountResources, id: string) => Promise<BareResult>;
}

interface Description<R, Name extends keyof DeliveryEvents> {
  resource: CallbackResource;
  types: readonly string[];
  event: Name;
  read: (envelope: ResourceEnvelope) => R;
  service: (resources: AccountResources) => { get: (id: string) => Promise<R> };
  isFinal: (result: R) => boolean;
  content: (result: R) => Omit<DeliveryEvents[Name], keyof PaymentsEventBase>;
  transaction?: (result: R) => Transaction | null;
}

function bareResults<
  R extends { id: string; links: { callbackUrl: string | null } },
  Name extends keyof DeliveryEvents,
>(description: Description<R, Name>): BareResults {
  const { resource, types, read, service } = description;
  const shown = (result: R): BareResult => ({
    links: result.links,
    isFinal: description.isFinal(result),
    transaction: description.transaction?.(result) ?? null,
    event: (account) => {
      const subject = { account, stream: result.id, via: 'callback' } as const;
      return deliveryEvent(description.event, subject, description.content(result));
    },
  });
  return {
    resource,
    types,
    read: (envelope) => shown(read(envelope)),
    get: async (resources, id) => shown(await service(resources).get(id)),
  };
}

const hasFinalStatus = ({ status }: { status: string | null }): boolean =>
  status === 'Success' || status === 'Failed';

/** The results of all resources. */
export const BARE_RESULTS: readonly BareResults[] = [
  bareResults({
    resource: 'incoming-payments',
    types: [INCOMING_PAYMENT_TYPE],
    event: 'incoming-payment.completed',
    read: readIncomingPayment,
    service: ({ incomingPayments }) => incomingPayments,
    isFinal: hasFinalStatus,
    content: (incomingPayment) => ({ incomingPayment }),
    transaction: ({ event }) => event.resource,
  }),
  bareResults({
    resource: 'polling',
    types: [POLLING_TYPE],
    event: 'polling.completed',
    read: readPolling,
    service: ({ polling }) => polling,
    isFinal: hasFinalStatus,
    content: (polling) => ({ polling }),
  }),
  bareResults({
    resource: 'sms-notifications',
    types: [SMS_NOTIFICATION_TYPE],
    event: 'sms-notification.completed',
    read: readSmsNotification,
    service: ({ smsNotifications }) => smsNotifications,
    isFinal: hasFinalStatus,
    content: (smsNotification) => ({ smsNotification }),
  }),
  bareResults({
    resource: 'send-money',
    types: [SEND_MONEY_TYPE],
    event: 'send-money.completed',
    read: readSendMoney,
    service: ({ sendMoney }) => sendMoney,
    isFinal: ({ transferBatches, destinations }) =>
      areDisbursed(transferBatches, destinations?.length),
    content: (sendMoney) => ({ sendMoney }),
  }),
  bareResults({
    resource: 'reversals',
    types: REVERSAL_TYPES,
    event: 'reversal.completed',
    read: readReversal,
    service: ({ reversals }) => reversals,
    isFinal: ({ reversalBulkPayment }) =>
      reversalBulkPayment !== null && isDisbursed(reversalBulkPayment),
    content: (reversal) => ({ reversal }),
  }),
  bareResults({
    resource: 'payment-links',
    types: [PAYMENT_LINK_TYPE],
    event: 'bare-payment-link.completed',
    read: readPaymentLink,
    service: ({ paymentLinks }) => paymentLinks,
    isFinal: isOver,
    content: (paymentLink) => ({ paymentLink }),
    transaction: transactionOf,
  }),
  bareResults({
    resource: 'settlement-transfers',
    types: [SETTLEMENT_TRANSFER_TYPE],
    event: 'settlement-transfer.completed',
    read: readSettlementTransfer,
    service: ({ settlementTransfers }) => settlementTransfers,
    isFinal: isTransferOver,
    content: (settlementTransfer) => ({ settlementTransfer }),
  }),
  bareResults({
    resource: 'pay',
    types: [PAY_TYPE],
    event: 'pay.completed',
    read: readPay,
    service: ({ pay }) => pay,
    isFinal: isTransferOver,
    content: (pay) => ({ pay }),
  }),
];
